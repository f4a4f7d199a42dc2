/** The most UTF-8 bytes that one `data:` payload may hold. */
export const CHUNK_BYTES = 4096;

// What Python's str.strip() removes and compact JSON can hold raw; the byte order mark is JavaScript's addition.
const STRIPPED = /[\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

// How far a cut may move back to fall between two characters that no client strips.
const SEARCH_BACK = 64;

const ESCAPED_BYTES = 6;

const encoder = new TextEncoder();
const measured = new Uint8Array(CHUNK_BYTES);

/** One payload, as it was written. */
export interface WrittenChunk {
  /** Where in the text the next one begins. */
  readonly end: number;
  readonly bytes: number;
}

/**
 * Writes the payload that begins at `start`, as UTF-8, to the beginning of `into`, which has room for CHUNK_BYTES. Payloads
 * arrive whole: at most CHUNK_BYTES each, never cut inside a code point, and never beginning or ending with white space,
 * because the official client strips it. Where white space cannot be avoided it is written as \uXXXX, which is legal because
 * compact JSON has white space only inside strings. The text must be `withoutLineBreaks`.
 */
export function writeChunk(text: string, start: number, into: Uint8Array): WrittenChunk {
  const first = text.charAt(start);
  const isEscaped = STRIPPED.test(first);
  const from = isEscaped ? start + 1 : start;
  const room = into.subarray(isEscaped ? writeEscape(first, into, 0) : 0, CHUNK_BYTES);
  const head = CHUNK_BYTES - room.length;
  // The platform's own encoder stops before the code point that no longer fits; a loop in here takes ten times as long.
  const { read, written } = encoder.encodeInto(text.slice(from, from + room.length), room);
  const fits = from + read;
  for (let end = fits; end > from && end > fits - SEARCH_BACK; end -= 1) {
    if (isCleanCut(text, end)) return { end, bytes: head + written - bytesBetween(text, end, fits) };
  }
  return endWithEscape(text, from, into, head);
}

/** Writes a payload that ends inside a long run of white space: with its last character as an escape. */
function endWithEscape(text: string, from: number, into: Uint8Array, head: number): WrittenChunk {
  const room = into.subarray(head, CHUNK_BYTES - ESCAPED_BYTES);
  const { read, written } = encoder.encodeInto(text.slice(from, from + room.length), room);
  const end = from + read;
  const last = text.charAt(end - 1);
  if (read === 0 || !STRIPPED.test(last)) return { end, bytes: head + written };
  return { end, bytes: writeEscape(last, into, head + written - bytesBetween(text, end - 1, end)) };
}

/** Whether a text fits into one payload. */
export function fitsChunk(text: string): boolean {
  return encoder.encodeInto(text, measured).read === text.length;
}

function isCleanCut(text: string, at: number): boolean {
  return !STRIPPED.test(text.charAt(at - 1)) && !STRIPPED.test(text.charAt(at)) && !isLowSurrogate(text.charCodeAt(at));
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

// Few: only where a cut was moved.
function bytesBetween(text: string, start: number, end: number): number {
  return start === end ? 0 : encoder.encodeInto(text.slice(start, end), measured).written;
}

/** Gives where the escape ends. */
function writeEscape(character: string, into: Uint8Array, at: number): number {
  return at + encoder.encodeInto(toEscape(character), into.subarray(at)).written;
}

/** A character as JSON can write it without itself. */
export function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
