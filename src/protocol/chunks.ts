/** The most UTF-8 bytes that one `data:` payload may hold. */
export const CHUNK_BYTES = 4096;

// Some clients split lines on these three although SSE does not, so they never travel raw.
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

// What Python's str.strip() removes and compact JSON can hold raw; the byte order mark is JavaScript's addition.
const STRIPPED = /[\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

// How far a cut may move back to fall between two characters that no client strips.
const SEARCH_BACK = 64;

const ESCAPED_BYTES = 6;

/**
 * Cuts JSON text into payloads that arrive whole: at most CHUNK_BYTES each, never inside a code point, and never
 * beginning or ending with white space, because the official client strips it. Where white space cannot be avoided it
 * is written as \uXXXX, which is legal because compact JSON has white space only inside strings.
 */
export function* toChunks(json: string): Generator<string, void, undefined> {
  const text = withoutLineBreaks(json);
  let start = 0;
  while (start < text.length) {
    let head = '';
    if (STRIPPED.test(text.charAt(start))) {
      head = toEscape(text.charAt(start));
      start += 1;
    }
    const end = endOfChunk(text, start, CHUNK_BYTES - head.length);
    const last = text.charAt(end - 1);
    if (end > start && STRIPPED.test(last)) yield head + text.slice(start, end - 1) + toEscape(last);
    else yield head + text.slice(start, end);
    start = end;
  }
  if (text.length === 0) yield '';
}

/** The payload of JSON text that fits into one event, or undefined; cheaper than toChunks for the many small answers. */
export function toSingleChunk(json: string): string | undefined {
  if (json.length > CHUNK_BYTES) return undefined;
  const text = withoutLineBreaks(json);
  // Most answers need no count.
  const fits = mostBytes(text) <= CHUNK_BYTES || furthest(text, 0, CHUNK_BYTES) === text.length;
  return fits ? text : undefined;
}

/** The most bytes that a text can take in UTF-8: three for each UTF-16 unit. Much cheaper than counting them. */
export function mostBytes(text: string): number {
  return text.length * 3;
}

/**
 * The same JSON without the characters that some clients take for line breaks. Do this first for a text that is kept and
 * sent to several clients, so that they share one copy.
 */
export function withoutLineBreaks(json: string): string {
  // Looked for one by one, which is a search of memory; a pattern looks at every character, and finds nothing almost always.
  const has = json.includes('\u0085') || json.includes('\u2028') || json.includes('\u2029');
  return has ? json.replace(LINE_BREAKS, toEscape) : json;
}

function endOfChunk(text: string, start: number, budget: number): number {
  const fits = furthest(text, start, budget);
  if (fits === text.length && !STRIPPED.test(text.charAt(fits - 1))) return fits;
  for (let end = fits; end > start && end > fits - SEARCH_BACK; end -= 1) {
    if (isCleanCut(text, end)) return end;
  }
  // A long run of white space: leave room to write the last character as an escape.
  return furthest(text, start, budget - ESCAPED_BYTES);
}

function isCleanCut(text: string, at: number): boolean {
  return !STRIPPED.test(text.charAt(at - 1)) && !STRIPPED.test(text.charAt(at)) && !isLowSurrogate(text.charCodeAt(at));
}

const encoder = new TextEncoder();
const measured = new Uint8Array(CHUNK_BYTES);

// By the platform's own encoder, which stops before the code point that no longer fits; a loop in here takes ten times as long.
function furthest(text: string, start: number, budget: number): number {
  return start + encoder.encodeInto(text.slice(start, start + budget), measured.subarray(0, budget)).read;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
