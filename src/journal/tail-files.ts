import { Buffer } from 'node:buffer';
import { copyFileSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Backlog, idOf } from './backlog.ts';
import { type Change, putChanges } from './change.ts';
import { fromFrames } from './frames.ts';
import { toJournalError } from './full-disk.ts';
import { lastSeqIn } from './places.ts';
import type { Stores } from './stores.ts';

const TAIL = /^tail-(\d+)$/;

/** Where the tail with this number is. */
export function tailFile(folder: string, number: number): string {
  return join(folder, `tail-${number}`);
}

/** Notes that the tables have what is in the tails up to this one. To be called in the transaction that puts it there. */
export function noteTabled({ meta }: Stores, number: number): void {
  meta.put('tail', number, 0);
}

/** Reads what was told and is not in the tables: of a process that has ended, or of another one that writes right now. */
export function readTails(folder: string, stores: Stores): Backlog {
  const backlog = new Backlog();
  // In this order: what goes into the tables meanwhile is found in the tables.
  const tails = tailsOf(folder).map((number) => ({ number, bytes: readTail(folder, number) }));
  stores.environment.resetReadTxn();
  const tabled = lastTabled(stores);
  for (const { number, bytes } of tails) {
    if (number <= tabled) continue;
    const { changes, isWhole } = fromFrames(bytes);
    for (const change of changes) addTo(backlog, change, stores);
    // What follows belongs to what is missing. Unless the machine went down, that can only be the end of the last one.
    if (!isWhole) break;
  }
  return backlog;
}

/** Puts what earlier owners left in their tails into the tables, and removes them. Returns the number of the last one. */
export async function takeInTails(folder: string, stores: Stores): Promise<number> {
  const backlog = readTails(folder, stores);
  const last = Math.max(lastTabled(stores), ...tailsOf(folder));
  if (!backlog.isEmpty) {
    try {
      stores.meta.transactionSync(() => {
        for (const changes of backlog.leave().values()) putChanges(stores, changes);
        noteTabled(stores, last);
      });
    } catch (thrown) {
      throw await toJournalError(thrown as Error, folder);
    }
    await stores.environment.flushed;
  }
  for (const number of tailsOf(folder)) unlinkSync(tailFile(folder, number));
  return last;
}

/** Copies the tails of a journal. Its tables are copied after that: what is no longer in a tail by then is in them. */
export function copyTails(folder: string, to: string): void {
  for (const number of tailsOf(folder)) {
    try {
      copyFileSync(tailFile(folder, number), tailFile(to, number));
    } catch (thrown) {
      unlessGone(thrown as NodeJS.ErrnoException);
    }
  }
}

/** Throws what happened to a file, unless that is gone. */
export function unlessGone(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown;
}

function tailsOf(folder: string): readonly number[] {
  const numbers = readdirSync(folder).map((name) => Number(TAIL.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0).sort((one, other) => one - other);
}

function readTail(folder: string, number: number): Buffer {
  try {
    return readFileSync(tailFile(folder, number));
  } catch (thrown) {
    unlessGone(thrown as NodeJS.ErrnoException);
    return Buffer.alloc(0);
  }
}

/** The number of the last tail that the tables have. */
function lastTabled({ meta }: Stores): number {
  return (meta.get('tail') as number | undefined) ?? 0;
}

function addTo(backlog: Backlog, change: Change, stores: Stores): void {
  const id = idOf(change.hashed);
  const before = backlog.countOf(id) ?? lastSeqIn(stores, change.hashed);
  // One that does not fit follows another that was lost with the machine.
  if (change.lastSeq === undefined || change.lastSeq === before) backlog.add(id, change, before);
}
