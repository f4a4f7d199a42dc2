import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

/** Says that tests are skipped, and why. In CI, where all that they need must be there, it is an error. */
export function skipAloud(what: string, why: string): void {
  if (process.env.CI) throw new Error(`${what} cannot be tested, and CI must: ${why}`);
  console.warn(`SKIPPED: ${what}, because ${why}`);
}

/** What a test needs and cannot have here, and what to do about it. */
export class NotInstalled extends Error {}

/** Gets what a test needs; where it cannot be had, the test is skipped, aloud. */
export async function needed<Value>(
  { skip }: TestContext,
  what: string,
  get: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await get();
  } catch (thrown) {
    if (!(thrown instanceof NotInstalled)) throw thrown;
    skipAloud(what, thrown.message);
    return skip(thrown.message);
  }
}

/**
 * Installs packages of the system: only in CI, or where somebody has asked for it. Nobody's computer is changed by
 * running the tests.
 */
export async function installPackages(...names: readonly string[]): Promise<void> {
  const line = `apt-get install --yes --no-install-recommends ${names.join(' ')}`;
  if (!process.env.CI && process.env.TILTYARD_TEST_INSTALL !== '1')
    throw new NotInstalled(`it is not installed. To install it, type: sudo ${line}`);
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    throw new NotInstalled('it is not installed, and the tests can install it only as root on Debian or Ubuntu');
  console.log(`installing: ${line}`);
  try {
    await aptGet('update');
    await aptGet(...line.split(' ').slice(1));
  } catch (thrown) {
    const { stderr = '', message } = thrown as Error & { stderr?: string };
    const reason = stderr.trim().split('\n').at(-1) || message;
    throw new NotInstalled(`it is not installed, and apt-get failed: ${reason}`, { cause: thrown });
  }
}

// Of another file of tests that installs something at the same moment.
const LOCKED = /Could not get lock|Unable to (?:acquire|lock)/;
const PATIENCE_MS = 10 * 60_000;

async function aptGet(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const until = Date.now() + PATIENCE_MS; ; await pause(1_000)) {
    try {
      await promisify(execFile)('apt-get', args, { env, timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 });
      return;
    } catch (thrown) {
      const { stderr = '' } = thrown as { stderr?: string };
      if (!LOCKED.test(stderr) || Date.now() > until) throw thrown;
    }
  }
}
