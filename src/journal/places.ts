import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

const HASH_BYTES = 32;
const SEQ_BYTES = 6;

/** Under what a key is kept: keys may be longer than LMDB allows, and have names in them. */
export function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Where a record is: those of a key stand together, in order. */
export function placeOf(hashed: Uint8Array, seq: number): Buffer {
  const place = Buffer.allocUnsafe(HASH_BYTES + SEQ_BYTES);
  place.set(hashed);
  place.writeUIntBE(seq, HASH_BYTES, SEQ_BYTES);
  return place;
}

/** The number of a record, by where it is. */
export function seqAt(place: Buffer): number {
  return place.readUIntBE(HASH_BYTES, SEQ_BYTES);
}

/** The place after all records of a key. */
export function endOf(hashed: Uint8Array): Buffer {
  return placeOf(hashed, 2 ** (8 * SEQ_BYTES) - 1);
}
