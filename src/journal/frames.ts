import type { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Change, KeptChange } from './change.ts';
import { HASH_BYTES, SEQ_BYTES } from './places.ts';
import { type Body, mostBytesOf, writeBody } from './sealer.ts';

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

/** Where a change stands among the bytes of a tail. Many wait for the tables, so what is in one is read when somebody needs it. */
export interface Frame {
  readonly bytes: Buffer;
  readonly at: number;
}

/** How many bytes of a file a change takes at most. */
export function mostBytesOfFrame({ name, record, saved }: Change): number {
  return HEAD_BYTES + PARTS_AT + mostBytesOfPart(name) + mostBytesOfPart(record) + mostBytesOfPart(saved);
}

/** Writes a change as bytes of a file; returns where it ends. */
export function writeFrame(bytes: Buffer, at: number, change: Change): number {
  const { hashed, lastSeq, name, record, saved } = change;
  const body = at + HEAD_BYTES;
  bytes[body + KIND_AT] =
    (lastSeq === undefined ? REPLACES : 0) |
    (name === undefined ? 0 : HAS_NAME) |
    (record === undefined ? 0 : HAS_RECORD) |
    (saved === undefined ? 0 : HAS_SAVED);
  bytes.set(hashed, body + HASH_AT);
  bytes.writeUIntLE(lastSeq ?? 0, body + SEQ_AT, SEQ_BYTES);
  const nameAt = body + PARTS_AT;
  const recordAt = writePart(bytes, nameAt, name);
  const savedAt = writePart(bytes, recordAt, record);
  const end = writePart(bytes, savedAt, saved);
  bytes.writeUInt32LE(recordAt - nameAt, body + NAME_LENGTH_AT);
  bytes.writeUInt32LE(savedAt - recordAt, body + RECORD_LENGTH_AT);
  bytes.writeUInt32LE(end - body, at);
  bytes.writeUInt32LE(crc32(bytes.subarray(body, end)), at + CHECKSUM_AT);
  return end;
}

/** The changes in the bytes of a file, up to the first that is not whole; whether there is such a one. */
export function framesIn(bytes: Buffer): { readonly frames: readonly Frame[]; readonly isWhole: boolean } {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = endOfWhole(bytes, at);
    if (end === undefined) return { frames, isWhole: false };
    frames.push({ bytes, at });
    at = end;
  }
  return { frames, isWhole: true };
}

/** The change that stands there. */
export function changeIn({ bytes, at }: Frame): KeptChange {
  const body = at + HEAD_BYTES;
  const kind = bytes[body + KIND_AT] ?? 0;
  const nameAt = body + PARTS_AT;
  const recordAt = nameAt + bytes.readUInt32LE(body + NAME_LENGTH_AT);
  const savedAt = recordAt + bytes.readUInt32LE(body + RECORD_LENGTH_AT);
  return {
    lastSeq: kind & REPLACES ? undefined : bytes.readUIntLE(body + SEQ_AT, SEQ_BYTES),
    name: kind & HAS_NAME ? bytes.subarray(nameAt, recordAt) : undefined,
    record: kind & HAS_RECORD ? bytes.subarray(recordAt, savedAt) : undefined,
    saved: kind & HAS_SAVED ? bytes.subarray(savedAt, body + bytes.readUInt32LE(at)) : undefined,
  };
}

/** Of which key it is. */
export function hashedIn({ bytes, at }: Frame): Buffer {
  return bytes.subarray(at + HEAD_BYTES + HASH_AT, at + HEAD_BYTES + SEQ_AT);
}

function mostBytesOfPart(part: Body | undefined): number {
  return part === undefined ? 0 : mostBytesOf(part);
}

/** Returns where it ends. */
function writePart(bytes: Buffer, at: number, part: Body | undefined): number {
  return part === undefined ? at : writeBody(bytes, at, part);
}

/** Where the frame ends that begins here, if it is whole. */
function endOfWhole(bytes: Buffer, at: number): number | undefined {
  const body = at + HEAD_BYTES;
  if (body > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const end = body + length;
  if (length < PARTS_AT || end > bytes.length) return undefined;
  return crc32(bytes.subarray(body, end)) === bytes.readUInt32LE(at + CHECKSUM_AT) ? end : undefined;
}
