import { join } from 'node:path';
import { ROOT } from './command.ts';
import { runToEnd } from './program.ts';

/** Packs this package as it would be published, and returns the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const { code, text } = await runToEnd(ROOT, 'npm', ['pack', '--pack-destination', folder]);
  const name = /^tiltyard-.*\.tgz$/m.exec(text)?.[0];
  if (code !== 0 || name === undefined) throw new Error(`npm pack failed:\n${text}`);
  return join(folder, name);
}

/** Why packages cannot be installed here; undefined if they can. */
export async function registryProblem(): Promise<string | undefined> {
  const { code, text } = await runToEnd(ROOT, 'npm', [
    ...['view', 'zod', 'version', '--prefer-online', '--fetch-retries=0', '--fetch-timeout=15000'],
  ]);
  return code === 0 ? undefined : `the npm registry does not answer: ${/code (\w+)/.exec(text)?.[1] ?? text}`;
}
