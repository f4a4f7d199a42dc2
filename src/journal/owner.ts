import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
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
  /** Made anew by each process: process ids come again, in containers even the same one each time. */
  readonly instance: string;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
}

const INSTANCE = randomUUID();

/** Another process writes to this journal. */
export class JournalInUse extends Error {
  override name = 'JournalInUse';
}

/** This process, as an owner. */
export function ownerHere(): Owner {
  return { host: hostname(), pid: process.pid, instance: INSTANCE, since: Date.now() };
}

/** Who owns a journal, as its tables say. */
export function ownership({ meta }: Stores): { readonly epoch: number; readonly owner: Owner | undefined } {
  const entry = meta.getEntry('owner') as { value: Owner | null; version: number } | undefined;
  return { epoch: entry?.version ?? 0, owner: entry?.value ?? undefined };
}

/** When an owner of this journal was last known to be alive, in milliseconds since 1970. */
export function lastBeat({ meta }: Stores): number | undefined {
  return (meta.get('beat') as { at: number } | undefined)?.at;
}

/** Whether the process of an owner is certainly gone, so that there is nothing to wait for. */
function isGone(owner: Owner): boolean {
  if (owner.host !== hostname() || owner.instance === INSTANCE) return false;
  if (owner.pid === process.pid) return true;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Resolves once there is no owner any more, or with the one that is there but has been silent for long enough; rejects if it is
 * alive.
 */
export async function untilSilent(stores: Stores, folder: string): Promise<Owner | undefined> {
  const { owner, epoch } = ownership(stores);
  if (owner === undefined || isGone(owner)) return undefined;
  if (owner.instance === INSTANCE) throw inUse(folder, owner);
  const before = lastBeat(stores);
  // Its clock is not compared with ours: only whether it moves.
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await wait(LOOK_MS);
    stores.environment.resetReadTxn();
    const now = ownership(stores);
    if (now.owner === undefined || isGone(now.owner)) return undefined;
    if (now.epoch !== epoch || lastBeat(stores) !== before) throw inUse(folder, now.owner);
  }
  return owner;
}

/** Another process has the journal. */
export function inUse(folder: string, { host, pid, since }: Owner): JournalInUse {
  const who = pid === process.pid && host === hostname() ? 'this process itself' : `process ${pid} on ${host}`;
  return new JournalInUse(
    `the journal ${folder} is in use by ${who}, since ${new Date(since).toISOString()}. Stop it first, or choose another folder`,
  );
}
