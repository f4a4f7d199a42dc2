import type { RecordEvent } from './events.ts';

/** What stands first in the line of an event, besides its number. */
export interface EventHead {
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
export function writeHead(bytes: Buffer, start: number, n: number, { at, type, call }: EventHead): number {
  let end = writeNumber(bytes, writePiece(bytes, start, BEFORE_NUMBER), n);
  end = writeNumber(bytes, writePiece(bytes, end, BEFORE_TIME), at);
  end = writePiece(bytes, end, TYPES.get(type) as Buffer);
  if (call === undefined) return end;
  end = writeNumber(bytes, writePiece(bytes, end, BEFORE_CALL), call);
  return writePiece(bytes, end, COMMA);
}

const BEFORE_NUMBER = Buffer.from('{"n":');
const BEFORE_TIME = Buffer.from(',"at":');
const BEFORE_CALL = Buffer.from('"call":');
const COMMA = Buffer.from(',');

const TYPES: ReadonlyMap<RecordEvent['type'], Buffer> = new Map(
  (['episode', 'prompt', 'message', 'call', 'result', 'note', 'end'] as const).map((type) => [
    type,
    Buffer.from(`,"type":"${type}",`),
  ]),
);

function writePiece(bytes: Buffer, start: number, piece: Buffer): number {
  const { length } = piece;
  for (let at = 0; at < length; at += 1) bytes[start + at] = piece[at] as number;
  return start + length;
}

function writeNumber(bytes: Buffer, start: number, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value < MILLION * BILLION) return writeWhole(bytes, start, value);
  return start + bytes.write(String(value), start);
}

const THOUSAND = 1_000;
const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

// In parts that are small integers: the processor divides these several times as fast.
function writeWhole(bytes: Buffer, start: number, value: number): number {
  if (value < BILLION) return writeSmall(bytes, start, value | 0);
  const high = Math.floor(value / MILLION);
  const low = (value - high * MILLION) | 0;
  const at = writeSmall(bytes, start, high | 0);
  return writeThree(bytes, writeThree(bytes, at, (low / THOUSAND) | 0), low % THOUSAND);
}

function writeSmall(bytes: Buffer, start: number, value: number): number {
  if (value < THOUSAND) return writeFirst(bytes, start, value);
  if (value < MILLION) return writeThree(bytes, writeFirst(bytes, start, (value / THOUSAND) | 0), value % THOUSAND);
  const high = (value / MILLION) | 0;
  const low = value - high * MILLION;
  const at = writeThree(bytes, writeFirst(bytes, start, high), (low / THOUSAND) | 0);
  return writeThree(bytes, at, low % THOUSAND);
}

// All numbers of three digits, one after the other.
const THREES = Buffer.from(Array.from({ length: THOUSAND }, (_, value) => String(value).padStart(3, '0')).join(''));

function writeThree(bytes: Buffer, start: number, value: number): number {
  const from = value * 3;
  bytes[start] = THREES[from] as number;
  bytes[start + 1] = THREES[from + 1] as number;
  bytes[start + 2] = THREES[from + 2] as number;
  return start + 3;
}

/** The same without zeros in front. */
function writeFirst(bytes: Buffer, start: number, value: number): number {
  const from = value * 3;
  let at = start;
  if (value >= 100) bytes[at++] = THREES[from] as number;
  if (value >= 10) bytes[at++] = THREES[from + 1] as number;
  bytes[at] = THREES[from + 2] as number;
  return at + 1;
}
