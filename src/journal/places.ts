import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Stores } from './stores.ts';

/** How long the hash of a key is. */
export const HASH_BYTES = 32;
/** How long the number of a record is. */
export const SEQ_BYTES = 6;

/** Under what a key is kept: keys may be longer than LMDB allows, and have names in them. */
export function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Where a record is: those of a key stand together, in order. */
export function placeOf(hashed: Uint8Array, seq: number, place: Buffer = newPlace()): Buffer {
  place.set(hashed);
  place.writeUIntBE(seq, HASH_BYTES, SEQ_BYTES);
  return place;
}

/** Room for a place. */
export function newPlace(): Buffer {
  return Buffer.allocUnsafe(HASH_BYTES + SEQ_BYTES);
}

function seqAt(place: Buffer): number {
  return place.readUIntBE(HASH_BYTES, SEQ_BYTES);
}

/** The place after all records of a key. */
export function endOf(hashed: Uint8Array): Buffer {
  return placeOf(hashed, 2 ** (8 * SEQ_BYTES) - 1);
}

/** The number of the last record of a key in the tables; 0 if there is none. */
export function lastSeqIn({ records }: Stores, hashed: Uint8Array): number {
  // Backwards, so the range begins after its last.
  const range = { start: endOf(hashed), end: placeOf(hashed, 0), reverse: true, limit: 1 };
  for (const place of records.getKeys(range)) return seqAt(place);
  return 0;
}
