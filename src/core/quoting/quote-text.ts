import { Buffer } from 'node:buffer';
import { LARGE_TEXT } from '../../protocol/index.ts';
import { ESCAPE_WASM } from './escape-wasm.ts';

/** A text as JSON, as `JSON.stringify` writes it; of a large one, which a result or an image may be, in a fraction of the time. */
export function quoteText(text: string): string {
  if (text.length < LARGE_TEXT) return JSON.stringify(text);
  loaded ??= loadEscape();
  return loaded === 'missing' ? JSON.stringify(text) : `"${loaded(text)}"`;
}

type Escape = (text: string) => string;

/** What escape.wat exports. */
interface Escaping {
  readonly memory: { readonly buffer: ArrayBuffer };
  escape8(at: number, end: number, out: number): number;
  escape16(at: number, end: number, out: number): number;
}

let loaded: Escape | 'missing' | undefined;

// The memory of escape.wat, which has 512 KB: its tables, a piece of text, and what becomes of it, which may be six times as long.
const SPREAD_8 = 1024;
const SPREAD_16 = 5120;
const TEXT_AT = 8_192;
const PIECE_BYTES = 64 * 1024;
const RESULT_AT: number = TEXT_AT + PIECE_BYTES;

// Of a text that has one byte for each character, V8 knows that without a look at it.
const WIDE = /[^\0-\xff]/;

/** Not where WebAssembly or its vectors are missing, as with `node --jitless`. */
function loadEscape(): Escape | 'missing' {
  const bytes = Buffer.from(ESCAPE_WASM, 'base64');
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) return 'missing';
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const { memory, escape8, escape16 } = exports as unknown as Escaping;
  const room = Buffer.from(memory.buffer);
  writeSpreads(room, SPREAD_8, 8, 1);
  writeSpreads(room, SPREAD_16, 4, 2);
  const narrow: Escape = (piece) => {
    const end = TEXT_AT + room.write(piece, TEXT_AT, 'latin1');
    return room.toString('latin1', RESULT_AT, escape8(TEXT_AT, end, RESULT_AT));
  };
  const wide: Escape = (piece) => {
    const end = TEXT_AT + room.write(piece, TEXT_AT, 'utf16le');
    return room.toString('utf16le', RESULT_AT, escape16(TEXT_AT, end, RESULT_AT));
  };
  return (text) => (WIDE.test(text) ? inPieces(text, PIECE_BYTES / 2, wide) : inPieces(text, PIECE_BYTES, narrow));
}

/** For each set of lanes that get a backslash before them: from which lane each lane of the result comes. That after the last is a backslash. */
function writeSpreads(room: Buffer, at: number, lanes: number, laneBytes: number): void {
  for (let set = 0; set < 2 ** lanes; set += 1) {
    const order: number[] = [];
    for (let lane = 0; lane < lanes; lane += 1) order.push(...((set >> lane) & 1 ? [lanes, lane] : [lane]));
    const bytes = order.flatMap((lane) => Array.from({ length: laneBytes }, (_, byte) => lane * laneBytes + byte));
    room.set(bytes, at + 16 * set);
  }
}

function inPieces(text: string, length: number, escapePiece: Escape): string {
  let escaped = '';
  for (let at = 0; at < text.length; ) {
    const end = at + length;
    // The halves of a character stay together.
    const isCut = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = isCut ? end - 1 : end;
    escaped += escapePiece(text.slice(at, next));
    at = next;
  }
  return escaped;
}
