import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installPackages, NotInstalled } from '../support/needed.ts';

/** Python packages that are installed together. */
export interface PackageSet {
  /** What they are, for messages. */
  readonly what: string;
  /** The requirements file, beside this one. */
  readonly requirements: string;
  /** A file of packages to install without their dependencies, and for any version of Python. */
  readonly bare?: string;
  /** Why they are not installed unless somebody asks; without it, they are installed whenever they are missing. */
  readonly onlyOnRequest?: string;
}

/** Something that the suite needs cannot be had. */
export class Missing extends Error {}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/tiltyard-interop', import.meta.url));

// The official packages and the trainers ask for it.
const NEEDED: readonly [major: number, minor: number] = [3, 11];
const NEEDED_TEXT = `Python ${NEEDED.join('.')} or later with venv`;

// Whatever hangs is not to hang the tests for longer.
const TIMEOUT_MS = 10 * 60_000;

// A machine without a network is to know it soon.
const PIP = ['-m', 'pip', '--disable-pip-version-check', '--timeout', '30', '--retries', '1'];

const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

/** The path of a Python that has these packages; made when it is not there yet. */
export async function prepareEnvironment(packages: PackageSet): Promise<string> {
  const { command, version } = (await findPython()) ?? (await installPython());
  const key = createHash('sha256').update(version);
  for (const name of filesOf(packages)) key.update(await readFile(toPath(name)));
  const folder = join(CACHE, key.digest('hex').slice(0, 16));
  const path = join(folder, 'bin', 'python');
  if (existsSync(folder) && (await succeeds(path, ['--version']))) return path;
  if (packages.onlyOnRequest !== undefined && !process.env.CI && process.env.TILTYARD_TEST_INSTALL !== '1')
    throw new Missing(`${packages.onlyOnRequest}. To install them, set TILTYARD_TEST_INSTALL=1`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  // Made under another name: a folder with the right name is complete, also when two runs begin at once.
  const making = `${folder}.${process.pid}`;
  try {
    await makeEnvironment(packages, { command, version }, making);
    await rename(making, folder).catch((error) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return path;
}

function filesOf({ requirements, bare }: PackageSet): string[] {
  return bare === undefined ? [requirements] : [requirements, bare];
}

function toPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
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

// Once, however many environments want it: two apt-gets at a time are one too many.
let installing: Promise<FoundPython> | undefined;

function installPython(): Promise<FoundPython> {
  installing ??= installPythonPackages();
  return installing;
}

async function installPythonPackages(): Promise<FoundPython> {
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

async function makeEnvironment(packages: PackageSet, { command, version }: FoundPython, folder: string): Promise<void> {
  const { what, requirements, bare } = packages;
  say(`making a virtual environment with Python ${version.split(' ')[0]} for ${what}`);
  await rm(folder, { recursive: true, force: true });
  await run(command, ['-m', 'venv', folder]).catch((error) => {
    throw new Missing(`venv failed: ${lastLine(error)}`, { cause: error });
  });
  const python = join(folder, 'bin', 'python');
  say(`installing ${what} (a minute or so, once)`);
  try {
    await run(python, [...PIP, 'install', '--requirement', toPath(requirements)]);
    if (bare !== undefined)
      await run(python, [
        ...PIP,
        'install',
        '--no-deps',
        '--ignore-requires-python',
        ...['--requirement', toPath(bare)],
      ]);
  } catch (error) {
    const isReachable = await succeeds(python, [...PIP, 'index', 'versions', 'ors-sdk']);
    throw new Missing(
      isReachable ? `pip could not install ${what}: ${lastLine(error)}` : 'the Python package index cannot be reached',
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
