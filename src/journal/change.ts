import type { Buffer } from 'node:buffer';
import type { Body } from './sealer.ts';

/** A change of the records of one key, as it is to be kept. */
export interface Change<Part = Body> {
  readonly hashed: Buffer;
  /** The number of the record before, or `undefined` if all of the key are to go. */
  readonly lastSeq: number | undefined;
  /** The key itself, with its first record only. */
  readonly name: Part | undefined;
  readonly record: Part | undefined;
  readonly saved: Part | undefined;
}

/** What is kept of a change, beside whose it is. */
export type KeptChange = Omit<Change<Buffer>, 'hashed'>;

/** How many records a key has after a change. */
export function countAfter({ lastSeq, record }: Pick<Change, 'lastSeq' | 'record'>): number {
  return lastSeq === undefined ? Number(record !== undefined) : lastSeq + 1;
}
