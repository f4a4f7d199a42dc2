import { readFileSync } from 'node:fs';

/** The version of this package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** The commit the server was built from, if BUILD_SHA says so. */
export const buildSha: string | null = process.env.BUILD_SHA || null;
