import type { Buffer } from 'node:buffer';
import { newPlace, placeOf } from './places.ts';
import type { Stores } from './stores.ts';

/** A change of the records of one key, as it is kept. */
export interface Change {
  readonly hashed: Buffer;
  /** The number of the record before, or `undefined` if all of the key are to go. */
  readonly lastSeq: number | undefined;
  /** The key itself, with its first record only. */
  readonly name: Buffer | undefined;
  readonly record: Buffer | undefined;
  readonly saved: Buffer | undefined;
}

/** Changes of one key that follow each other, and how many records it has before and after them. */
export interface KeyChanges {
  readonly hashed: Buffer;
  readonly before: number;
  after: number;
  changes: Change[];
}

/** How many records a key has after a change. */
export function countAfter({ lastSeq, record }: Change): number {
  return lastSeq === undefined ? Number(record !== undefined) : lastSeq + 1;
}

// The tables copy a key at once.
const place = newPlace();

/** Makes the changes of a key in the tables. To be called within a transaction. */
export function putChanges(stores: Stores, { hashed, before, changes }: KeyChanges): void {
  const { keys, records, saved: states } = stores;
  for (const { lastSeq, name, record, saved } of changes) {
    if (lastSeq === undefined && before > 0) {
      for (let seq = record ? 2 : 1; seq <= before; seq++) records.remove(placeOf(hashed, seq, place));
      if (saved === undefined) states.remove(hashed);
      if (record === undefined) keys.remove(hashed);
    }
    if (name !== undefined) keys.put(hashed, name);
    if (record !== undefined) records.put(placeOf(hashed, (lastSeq ?? 0) + 1, place), record);
    if (saved !== undefined) states.put(hashed, saved);
  }
}
