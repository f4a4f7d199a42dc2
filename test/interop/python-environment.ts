import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { installPackages, NotInstalled, skipAloud } from '../support/needed.ts';

/** The Python that has the official packages, or why there is none. */
export type InteropPython = { readonly path: string } | { readonly missing: string };

declare module 'vitest' {
  export interface ProvidedContext {
    interopPython: InteropPython;
  }
}

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/tiltyard-interop', import.meta.url));

// The newer of the two packages asks for it.
const NEEDED: readonly [major: number, minor: number] = [3, 11];
const NEEDED_TEXT = `Python ${NEEDED.join('.')} or later with venv`;

// Whatever hangs is not to hang the tests for longer.
const TIMEOUT_MS = 10 * 60_000;

// A machine without a network is to know it soon.
const PIP = ['-m', 'pip', '--disable-pip-version-check', '--timeout', '30', '--retries', '1'];

const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

/** Makes a virtual environment with the official packages, once, and tells the tests where it is. */
export async function setup({ provide }: TestProject): Promise<void> {
  try {
    provide('interopPython', { path: await preparePython() });
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    skipAloud('the official Python packages', error.message);
    provide('interopPython', { missing: error.message });
  }
}

/** Something that the suite needs cannot be had. */
class Missing extends Error {}

/** The path of a Python that has the official packages; made when it is not there yet. */
export async function preparePython(): Promise<string> {
  const { command, version } = (await findPython()) ?? (await installPython());
  const key = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .update(version);
  const folder = join(CACHE, key.digest('hex').slice(0, 16));
  const path = join(folder, 'bin', 'python');
  if (existsSync(folder) && (await succeeds(path, ['--version']))) return path;
  await rm(folder, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  // Made under another name: a folder with the right name is complete, also when two runs begin at once.
  const making = `${folder}.${process.pid}`;
  try {
    await makeEnvironment(command, version, making);
    await rename(making, folder).catch((error) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return path;
}

interface FoundPython {
  readonly command: string;
  readonly version: string;
}

async function findPython(): Promise<FoundPython | undefined> {
  const ask = `import sys, venv, ensurepip; assert sys.version_info >= (${NEEDED}); print(sys.version)`;
  for (const command of CANDIDATES) {
    const answer = await run(command, ['-c', ask]).catch(() => undefined);
    if (answer !== undefined) return { command, version: answer.trim() };
  }
  return undefined;
}

async function installPython(): Promise<FoundPython> {
  try {
    await installPackages('python3', 'python3-venv');
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    throw new Missing(`they need ${NEEDED_TEXT}: ${error.message}`, { cause: error });
  }
  const found = await findPython();
  if (found === undefined) throw new Missing(`this system's packages have no ${NEEDED_TEXT}`);
  return found;
}

async function makeEnvironment(command: string, version: string, folder: string): Promise<void> {
  say(`making a virtual environment with Python ${version.split(' ')[0]}`);
  await rm(folder, { recursive: true, force: true });
  await run(command, ['-m', 'venv', folder]).catch((error) => {
    throw new Missing(`venv failed: ${lastLine(error)}`, { cause: error });
  });
  const python = join(folder, 'bin', 'python');
  say('installing the official packages (a minute or so, once)');
  try {
    await run(python, [...PIP, 'install', '--requirement', REQUIREMENTS]);
  } catch (error) {
    const isReachable = await succeeds(python, [...PIP, 'index', 'versions', 'ors-sdk']);
    throw new Missing(
      isReachable
        ? `pip could not install the official packages: ${lastLine(error)}`
        : 'the Python package index cannot be reached',
      { cause: error },
    );
  }
}

async function run(command: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

function lastLine(error: unknown): string {
  const { stderr = '', message = '' } = error as { stderr?: string; message?: string };
  return (stderr.trim() || message).split('\n').at(-1) ?? '';
}

function say(what: string): void {
  console.log(`interop: ${what}`);
}
