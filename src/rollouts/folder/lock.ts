import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning, isStillRunning, startOf } from '../../core/index.ts';

/** Another process runs in this folder. */
export class RunInUse extends Error {
  override readonly name = 'RunInUse';
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When its process was started, where the system tells: process ids come again. */
  readonly started: string | null;
  /** Makes each lock another one, also if the same process takes it twice. */
  readonly nonce: string;
}

const LOOK_MS = 20;

/** Makes this process the only one that runs in a folder, until the lock is disposed of. The lock of a dead process is taken over. */
export async function lockFolder(folder: string): Promise<Disposable> {
  const path = join(folder, 'lock');
  const mine = JSON.stringify(holderHere());
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    while (!tryLock(path, draft, mine)) await wait(LOOK_MS);
  } finally {
    rmSync(draft, { force: true });
  }
  removeDrafts(folder);
  return {
    [Symbol.dispose]() {
      if (read(path) === mine) rmSync(path, { force: true });
    },
  };
}

/** Whether a process that is alive has a folder. */
export function isInUse(folder: string): boolean {
  const found = read(join(folder, 'lock'));
  const holder = found === undefined ? undefined : toHolder(found);
  return holder !== undefined && isAlive(holder);
}

/** Who holds a lock; undefined if it is not one of ours. */
function toHolder(content: string): Holder | undefined {
  try {
    const holder = JSON.parse(content) as Holder;
    return Number.isInteger(holder.pid) && typeof holder.host === 'string' ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Drafts of processes that were killed while they took the lock. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^lock\.(\d+)\.[0-9a-f]{12}$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function tryLock(path: string, draft: string, mine: string): boolean {
  writeFileSync(draft, mine, { mode: 0o600 });
  if (link(draft, path)) return true;
  const found = read(path);
  if (found === undefined) return false;
  const holder = toHolder(found);
  if (holder === undefined) throw new RunInUse(`${path} is damaged. If no other process runs there, delete it`);
  if (isAlive(holder)) throw inUse(path, holder);
  // Only one process can claim a certain dead lock, and a later one sees that it is no longer there.
  const claim = `${path}.after-${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
  if (!link(draft, claim)) {
    const claimer = read(claim);
    const other = claimer === undefined ? undefined : toHolder(claimer);
    if (other !== undefined && !isAlive(other)) rmSync(claim, { force: true });
    return false;
  }
  const isMine = read(path) === found;
  if (isMine) renameSync(draft, path);
  rmSync(claim, { force: true });
  return isMine;
}

/** Gives a file a second name, unless that name is taken. It has its content from the first moment. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

function holderHere(): Holder {
  const { pid } = process;
  return { host: hostname(), pid, started: startOf(pid), nonce: randomBytes(8).toString('hex') };
}

function isAlive({ host, pid, started }: Holder): boolean {
  // Of another machine nobody here can tell.
  if (host !== hostname()) return true;
  return isStillRunning(pid, started);
}

function inUse(path: string, { host, pid }: Holder): RunInUse {
  return new RunInUse(
    `${path.slice(0, -'/lock'.length)} is in use by process ${pid} on ${host}. Stop it, or choose another folder; if that machine is gone, delete ${path}`,
  );
}
