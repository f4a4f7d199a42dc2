import type { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Change } from './change.ts';
import { HASH_BYTES, SEQ_BYTES } from './places.ts';

// Of a frame: how long its body is, and a checksum of that. Of a body: what it is, then the lengths of two of its three last parts.
const CHECKSUM_AT = 4;
const HEAD_BYTES = 8;
const KIND_AT = 0;
const HASH_AT = 1;
const SEQ_AT = HASH_AT + HASH_BYTES;
const NAME_LENGTH_AT = SEQ_AT + SEQ_BYTES;
const RECORD_LENGTH_AT = NAME_LENGTH_AT + 4;
const PARTS_AT = RECORD_LENGTH_AT + 4;

// A part that is missing is not one that is empty.
const REPLACES = 1;
const HAS_NAME = 2;
const HAS_RECORD = 4;
const HAS_SAVED = 8;

/** How many bytes of a file changes take. */
export function bytesOfFrames(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + HEAD_BYTES + bodyBytes(change), 0);
}

/** Writes changes as the bytes of a file. */
export function writeFrames(bytes: Buffer, changes: readonly Change[]): void {
  let at = 0;
  for (const change of changes) {
    const length = bodyBytes(change);
    const body = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    writeBody(body, change);
    bytes.writeUInt32LE(length, at);
    bytes.writeUInt32LE(crc32(body), at + CHECKSUM_AT);
    at += HEAD_BYTES + length;
  }
}

/** The changes in the bytes of a file, up to the first that is not whole; whether there is such a one. */
export function fromFrames(bytes: Buffer): { readonly changes: readonly Change[]; readonly isWhole: boolean } {
  const changes: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    const body = bodyAt(bytes, at);
    if (body === undefined) return { changes, isWhole: false };
    changes.push(readBody(body));
    at += HEAD_BYTES + body.length;
  }
  return { changes, isWhole: true };
}

function bodyBytes({ name, record, saved }: Change): number {
  return PARTS_AT + (name?.length ?? 0) + (record?.length ?? 0) + (saved?.length ?? 0);
}

function writeBody(body: Buffer, { hashed, lastSeq, name, record, saved }: Change): void {
  body[KIND_AT] =
    (lastSeq === undefined ? REPLACES : 0) |
    (name === undefined ? 0 : HAS_NAME) |
    (record === undefined ? 0 : HAS_RECORD) |
    (saved === undefined ? 0 : HAS_SAVED);
  body.set(hashed, HASH_AT);
  body.writeUIntLE(lastSeq ?? 0, SEQ_AT, SEQ_BYTES);
  body.writeUInt32LE(name?.length ?? 0, NAME_LENGTH_AT);
  body.writeUInt32LE(record?.length ?? 0, RECORD_LENGTH_AT);
  const recordAt = putAt(body, PARTS_AT, name);
  putAt(body, putAt(body, recordAt, record), saved);
}

/** Returns where it ends. */
function putAt(body: Buffer, at: number, part: Buffer | undefined): number {
  if (part === undefined) return at;
  body.set(part, at);
  return at + part.length;
}

function bodyAt(bytes: Buffer, at: number): Buffer | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const body = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
  if (length < PARTS_AT || body.length < length) return undefined;
  return crc32(body) === bytes.readUInt32LE(at + CHECKSUM_AT) ? body : undefined;
}

function readBody(body: Buffer): Change {
  const kind = body[KIND_AT] ?? 0;
  const recordAt = PARTS_AT + body.readUInt32LE(NAME_LENGTH_AT);
  const savedAt = recordAt + body.readUInt32LE(RECORD_LENGTH_AT);
  return {
    hashed: body.subarray(HASH_AT, SEQ_AT),
    lastSeq: kind & REPLACES ? undefined : body.readUIntLE(SEQ_AT, SEQ_BYTES),
    name: kind & HAS_NAME ? body.subarray(PARTS_AT, recordAt) : undefined,
    record: kind & HAS_RECORD ? body.subarray(recordAt, savedAt) : undefined,
    saved: kind & HAS_SAVED ? body.subarray(savedAt) : undefined,
  };
}
