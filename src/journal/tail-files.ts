import { Buffer } from 'node:buffer';
import { copyFileSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Backlog, idOf } from './backlog.ts';
import { changeIn, type Frame, framesIn, hashedIn } from './frames.ts';
import { toJournalError } from './full-disk.ts';
import { lastSeqIn } from './places.ts';
import { putChanges } from './put-changes.ts';
import type { Stores } from './stores.ts';

/**
 * One of the files with the newest changes. It is named after the epoch of its owner, so that an owner that was stopped and goes on
 * writes to no file of its successor.
 */
export interface TailName {
  readonly epoch: number;
  /** From 1, for each owner. */
  readonly number: number;
}

// Before there were epochs in them, names had a number only.
const TAIL = /^tail-(?:(\d+)-)?(\d+)$/;

/** Where a tail is. */
export function tailFile(folder: string, { epoch, number }: TailName): string {
  return join(folder, epoch === 0 ? `tail-${number}` : `tail-${epoch}-${number}`);
}

/** Notes that the tables have what is in the tails up to this one. To be called in the transaction that puts it there. */
export function noteTabled({ meta }: Stores, { epoch, number }: TailName): void {
  meta.put('tail', { epoch, number }, 0);
}

/** Reads what was told and is not in the tables: of a process that has ended, or of another one that writes right now. */
export function readTails(folder: string, stores: Stores): Backlog {
  const backlog = new Backlog();
  // In this order: what goes into the tables meanwhile is found in the tables.
  const tails = tailsOf(folder).map((name) => ({ name, bytes: readTail(folder, name) }));
  stores.environment.resetReadTxn();
  const tabled = lastTabled(stores);
  for (const { name, bytes } of tails) {
    if (inOrder(name, tabled) <= 0) continue;
    const { frames, isWhole } = framesIn(bytes);
    for (const frame of frames) addTo(backlog, frame, stores);
    // What follows belongs to what is missing. Unless the machine went down, that can only be the end of the last one.
    if (!isWhole) break;
  }
  return backlog;
}

/**
 * Puts what earlier owners left in their tails into the tables, and removes the files. What such an owner writes after that counts for
 * nothing. False if the journal does not belong to the owner of this epoch any more, and then nothing has changed.
 */
export async function takeInTails(folder: string, stores: Stores, epoch: number): Promise<boolean> {
  const backlog = readTails(folder, stores);
  const taken = tailsOf(folder).filter((name) => name.epoch < epoch);
  try {
    const isOurs = stores.meta.transactionSync(() => {
      if (stores.meta.getEntry('owner')?.version !== epoch) return false;
      for (const changes of backlog.leave().values()) putChanges(stores, changes);
      noteTabled(stores, { epoch, number: 0 });
      return true;
    });
    if (!isOurs) return false;
  } catch (thrown) {
    throw await toJournalError(thrown as Error, folder);
  }
  await stores.environment.flushed;
  for (const name of taken) unlinkSync(tailFile(folder, name));
  return true;
}

/** Copies the tails of a journal. Its tables are copied after that: what is no longer in a tail by then is in them. */
export function copyTails(folder: string, to: string): void {
  for (const name of tailsOf(folder)) {
    try {
      copyFileSync(tailFile(folder, name), tailFile(to, name));
    } catch (thrown) {
      unlessGone(thrown as NodeJS.ErrnoException);
    }
  }
}

/** Throws what happened to a file, unless that is gone. */
export function unlessGone(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown;
}

function tailsOf(folder: string): readonly TailName[] {
  const found = readdirSync(folder).flatMap((file) => {
    const [, epoch = 0, number] = TAIL.exec(file) ?? [];
    return number === undefined ? [] : { epoch: Number(epoch), number: Number(number) };
  });
  return found.sort(inOrder);
}

/** Owners follow each other, and so do the files of each. */
function inOrder(one: TailName, other: TailName): number {
  return one.epoch - other.epoch || one.number - other.number;
}

function readTail(folder: string, name: TailName): Buffer {
  try {
    return readFileSync(tailFile(folder, name));
  } catch (thrown) {
    unlessGone(thrown as NodeJS.ErrnoException);
    return Buffer.alloc(0);
  }
}

/** The last tail that the tables have. */
function lastTabled({ meta }: Stores): TailName {
  const last = meta.get('tail') as TailName | number | undefined;
  return typeof last === 'object' ? last : { epoch: 0, number: last ?? 0 };
}

function addTo(backlog: Backlog, frame: Frame, stores: Stores): void {
  const change = { ...changeIn(frame), hashed: hashedIn(frame) };
  const id = idOf(change.hashed);
  const before = backlog.countOf(id) ?? lastSeqIn(stores, change.hashed);
  // One that does not fit follows another that was lost with the machine.
  if (change.lastSeq === undefined || change.lastSeq === before) backlog.add({ id, change, before }, frame);
}
