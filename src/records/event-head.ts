import type { RecordEvent } from './events.ts';

/** What stands first in the line of an event. */
export interface EventHead {
  readonly n: number;
  readonly at: number;
  readonly type: RecordEvent['type'];
  /** Of a result: the number of its call. */
  readonly call?: number | undefined;
}

/** More than any head takes. */
export const MOST_HEAD_BYTES = 160;

/**
 * Writes `{"n":2,"at":1763352001000,"type":"call",`, and returns where it ends. Byte by byte: making a text of it, and bytes of that, takes
 * several times as long.
 */
export function writeHead(bytes: Buffer, start: number, { n, at, type, call }: EventHead): number {
  let end = writeNumber(bytes, writePiece(bytes, start, BEFORE_NUMBER), n);
  end = writeNumber(bytes, writePiece(bytes, end, BEFORE_TIME), at);
  end = writePiece(bytes, end, TYPES[type]);
  if (call === undefined) return end;
  end = writeNumber(bytes, writePiece(bytes, end, BEFORE_CALL), call);
  return writePiece(bytes, end, COMMA);
}

const BEFORE_NUMBER = Buffer.from('{"n":');
const BEFORE_TIME = Buffer.from(',"at":');
const BEFORE_CALL = Buffer.from('"call":');
const COMMA = Buffer.from(',');

const TYPES: Readonly<Record<RecordEvent['type'], Buffer>> = {
  episode: typeField('episode'),
  prompt: typeField('prompt'),
  message: typeField('message'),
  call: typeField('call'),
  result: typeField('result'),
  note: typeField('note'),
  end: typeField('end'),
};

function typeField(type: RecordEvent['type']): Buffer {
  return Buffer.from(`,"type":"${type}",`);
}

function writePiece(bytes: Buffer, start: number, piece: Buffer): number {
  const { length } = piece;
  for (let at = 0; at < length; at += 1) bytes[start + at] = piece[at] as number;
  return start + length;
}

function writeNumber(bytes: Buffer, start: number, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return writeWhole(bytes, start, value);
  return start + bytes.write(String(value), start);
}

// Digits are made of so many at a time: with small integers, the processor divides fast.
const GROUP = 1e6;
const GROUP_DIGITS = 6;

function writeWhole(bytes: Buffer, start: number, value: number): number {
  if (value < GROUP) return writeDigits(bytes, start, value, digitsOf(value));
  const high = Math.floor(value / GROUP);
  return writeDigits(bytes, writeWhole(bytes, start, high), value - high * GROUP, GROUP_DIGITS);
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let next = 10; next <= value; next *= 10) digits += 1;
  return digits;
}

const ZERO = 0x30;

function writeDigits(bytes: Buffer, start: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let at = start + digits - 1; at >= start; at -= 1) {
    const tenth = (rest / 10) | 0;
    bytes[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return start + digits;
}
