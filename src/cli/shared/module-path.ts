import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from './failure.ts';

// What can be imported; Node's words for anything else say nothing of what to do.
const MODULE = /\.[cm]?[jt]sx?$/;

// As `tiltyard new` names them.
const LIKELY = /^(?:environment|toolkit)\.[cm]?[jt]s$/;

/** Refuses the name of a file or folder that is not there. */
export function assertExists(path: string): void {
  if (!existsSync(resolve(path)))
    throw new Failure(`file not found: ${path}${isAbsolute(path) ? '' : ` in ${process.cwd()}`}`);
}

/** Refuses what cannot be a module, by its name. */
export function assertModule(path: string): void {
  if (/^https?:\/\//i.test(path))
    throw new Failure(`${path} is a URL. Name a TypeScript or JavaScript file, such as math.ts`);
  assertExists(path);
  if (statSync(resolve(path)).isDirectory()) {
    const likely = readdirSync(resolve(path)).find((name) => LIKELY.test(name)) ?? 'environment.ts';
    throw new Failure(`${path} is a folder. Name a file that exports what to serve, such as ${join(path, likely)}`);
  }
  if (!MODULE.test(path))
    throw new Failure(`${path} is not a module. Name a TypeScript or JavaScript file, such as math.ts`);
}

/** The package.json that a module belongs to, if there is one. */
export function manifestOf(path: string): string | undefined {
  const folder = dirname(resolve(path));
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest)) return manifest;
  return folder === dirname(folder) ? undefined : manifestOf(folder);
}
