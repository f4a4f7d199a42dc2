import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { version } from '../../version.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[\\/]$/, '');

/**
 * What a project in a folder depends on so that it works with the code that made it: the clone, or the tarball, that this
 * command runs from, or the published version.
 */
export async function ownVersion(folder: string): Promise<string> {
  const toFile = (path: string) => `file:${relative(resolve(folder), path).split(sep).join('/')}`;
  if (!ROOT.split(sep).includes('node_modules')) return toFile(ROOT);
  const source = installedFrom();
  if (source === undefined) return (await isPublished()) ? `^${version}` : toFile(ROOT);
  if (!source.startsWith('file:')) return `^${version}`;
  // As npm writes it: relative to the project that has it installed.
  const tarball = resolve(dirname(dirname(ROOT)), source.slice('file:'.length));
  return toFile(existsSync(tarball) ? tarball : ROOT);
}

/** Where npm got this package from; undefined if it does not say, as for global installations and other package managers. */
function installedFrom(): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(resolve(ROOT, '../.package-lock.json'), 'utf8'));
    const { resolved } = packages['node_modules/tiltyard'] ?? {};
    return typeof resolved === 'string' ? resolved : undefined;
  } catch {
    return undefined; // not npm's, or not of a form that is known here
  }
}

const VIEW = ['view', `tiltyard@${version}`, 'version', '--fetch-retries=0', '--fetch-timeout=5000'];

async function isPublished(): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('npm', VIEW, { timeout: 10_000, shell: process.platform === 'win32' });
    return stdout.trim() === version;
  } catch {
    return false; // no such version, no npm, or no network
  }
}
