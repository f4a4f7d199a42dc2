import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './command.ts';
import { NotInstalled } from './needed.ts';

/** Packages by their names, with exact versions. */
export type NpmPackages = Readonly<Record<string, string>>;

/**
 * A `node_modules` with programs that only tests need, beside the packages of the project and not among them. Installed where that is
 * wanted: in CI, or with TILTYARD_TEST_INSTALL=1; afterwards it is there.
 */
export async function npmCache(name: string, dependencies: NpmPackages): Promise<string> {
  const folder = join(ROOT, 'node_modules', '.cache', name);
  const wanted = JSON.stringify({ private: true, dependencies });
  const installed = join(folder, 'installed.json');
  const isThere = existsSync(installed) && (await readFile(installed, 'utf8')) === wanted;
  if (!isThere) await install(folder, wanted);
  await writeFile(installed, wanted);
  return join(folder, 'node_modules');
}

async function install(folder: string, manifest: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new NotInstalled('the tests install it only on Linux on x64');
  if (!process.env.CI && process.env.TILTYARD_TEST_INSTALL !== '1')
    throw new NotInstalled('it is not installed. To install it from npm, set TILTYARD_TEST_INSTALL=1');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: 5 * 60_000, maxBuffer: 64 * 1024 * 1024 });
}
