import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { dataFile } from './folder.ts';
import type { Stores } from './stores.ts';

/** How often an owner shows that it is alive. */
export const BEAT_MS = 1000;

/** For how long an owner must not have shown that it is alive before another takes its journal. */
const SILENT_MS = 3 * BEAT_MS;
const LOOK_MS = 100;

/** The process that writes to a journal. */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process was started: process ids come again, in containers even the same one each time. */
  readonly started: number;
  /** Of the file that it writes to: a copy of that has no owner. */
  readonly inode: number;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
}

/** Another process writes to this journal. */
export class JournalInUse extends Error {
  override name = 'JournalInUse';
}

/** This process, as the owner of a folder. */
export function ownerHere(folder: string): Owner {
  const { pid } = process;
  return { host: hostname(), pid, started: performance.timeOrigin, inode: inodeOf(folder), since: Date.now() };
}

/** Who owns a journal, as its tables say. */
export function ownership(
  { meta }: Stores,
  folder: string,
): { readonly epoch: number; readonly owner: Owner | undefined } {
  const { value, version = 0 } = meta.getEntry('owner') ?? {};
  const owner = value as Owner | null | undefined;
  return { epoch: version, owner: owner?.inode === inodeOf(folder) ? owner : undefined };
}

function inodeOf(folder: string): number {
  return statSync(dataFile(folder)).ino;
}

/** When an owner of this journal was last known to be alive, in milliseconds since 1970. */
export function lastBeat({ meta }: Stores): number | undefined {
  return (meta.get('beat') as { at: number } | undefined)?.at;
}

/** Whether the process of an owner is certainly gone, so that there is nothing to wait for. */
export function isGone(owner: Owner): boolean {
  if (owner.host !== hostname()) return false;
  // If it is not this process, it was one that had its id before.
  if (owner.pid === process.pid) return !isHere(owner);
  // Not by `isRunning` of core: a journal needs nothing of ours.
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function isHere({ host, pid, started }: Owner): boolean {
  return pid === process.pid && started === performance.timeOrigin && host === hostname();
}

/**
 * Resolves once there is no owner any more, or with the one that is there but has been silent for long enough; rejects if it is
 * alive.
 */
export async function untilSilent(stores: Stores, folder: string): Promise<Owner | undefined> {
  const { owner, epoch } = ownership(stores, folder);
  if (owner === undefined || isGone(owner)) return undefined;
  if (isHere(owner)) throw inUse(folder, owner);
  const before = lastBeat(stores);
  // Its clock is not compared with ours: only whether it moves.
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await wait(LOOK_MS);
    stores.environment.resetReadTxn();
    const now = ownership(stores, folder);
    if (now.owner === undefined || isGone(now.owner)) return undefined;
    if (now.epoch !== epoch || lastBeat(stores) !== before) throw inUse(folder, now.owner);
  }
  return owner;
}

/** Another process has the journal. */
export function inUse(folder: string, owner: Owner): JournalInUse {
  const { host, pid, since } = owner;
  const who = isHere(owner) ? 'this process itself' : `process ${pid} on ${host}`;
  return new JournalInUse(
    `the journal ${folder} is in use by ${who}, since ${new Date(since).toISOString()}. Stop it first, or choose another folder`,
  );
}
