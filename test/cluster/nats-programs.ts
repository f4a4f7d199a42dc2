import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/command.ts';
import { installPackages, NotInstalled } from '../support/needed.ts';

/** A program of nats-server, or why there is none. */
export type NatsProgram = { readonly path: string } | { readonly missing: string };

// Out of the repository, and kept for the next time.
const CACHE = join(ROOT, 'node_modules/.cache/nats-server');

/** The one of the system's packages, which is an old one. */
export function findPackagedNats(): Promise<NatsProgram> {
  return find('nats-server', () => installPackages('nats-server'));
}

/** A current one, built by Go from its module proxy. */
export function findCurrentNats(): Promise<NatsProgram> {
  return find(join(CACHE, 'nats-server'), buildWithGo);
}

/** The best there is: three servers of a current one, or one of the system's packages. */
export async function findNats(): Promise<
  { readonly path: string; readonly count: 1 | 3 } | { readonly missing: string }
> {
  const current = await findCurrentNats();
  if ('path' in current) return { path: current.path, count: 3 };
  const packaged = await findPackagedNats();
  return 'path' in packaged ? { path: packaged.path, count: 1 } : packaged;
}

async function find(path: string, install: () => Promise<void>): Promise<NatsProgram> {
  if (await runs(path)) return { path };
  try {
    await install();
  } catch (thrown) {
    if (!(thrown instanceof NotInstalled)) throw thrown;
    return { missing: thrown.message };
  }
  return (await runs(path)) ? { path } : { missing: 'it was installed and does not run' };
}

async function buildWithGo(): Promise<void> {
  const line = 'go install github.com/nats-io/nats-server/v2@latest';
  if (!process.env.CI && process.env.TILTYARD_TEST_INSTALL !== '1')
    throw new NotInstalled(`it is not installed. To install it, type: GOBIN=${CACHE} ${line}`);
  console.log(`installing: ${line}`);
  await mkdir(CACHE, { recursive: true });
  // Another file of tests may build it at the same moment, and must not find half of it.
  const making = await mkdtemp(join(CACHE, 'making-'));
  try {
    const [program = '', ...args] = line.split(' ');
    const go = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : program;
    await promisify(execFile)(go, args, { env: { ...process.env, GOBIN: making }, timeout: 10 * 60_000 });
    await rename(join(making, 'nats-server'), join(CACHE, 'nats-server'));
  } catch (thrown) {
    const reason = (thrown as Error).message.trim().split('\n').at(-1);
    throw new NotInstalled(`it is not installed, and Go could not build it: ${reason}`, { cause: thrown });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

function runs(path: string): Promise<boolean> {
  return promisify(execFile)(path, ['--version']).then(
    () => true,
    () => false,
  );
}
