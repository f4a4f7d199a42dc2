/** How deep JSON may be nested. Deeper JSON is written by nobody but those who want to break what walks through it. */
export const MAX_JSON_LEVELS = 1_000;

/** How much of JSON is parsed. */
export interface JsonBounds {
  /** Objects and lists. */
  readonly containers: number;
  /** Values of all kinds. Default: any number; as text, most take as much memory as parsed. */
  readonly values?: number;
}

/** How much of what a server sends is parsed. Each value takes up to a hundred bytes of memory, though as few as two on the wire. */
export const MAX_ANSWER_BOUNDS: Required<JsonBounds> = { containers: 5_000_000, values: 5_000_000 };

/** What there is too much of. */
export type JsonExcess = 'levels' | 'containers' | 'values';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;

/**
 * What a text of a stranger has more of than should be parsed, if anything. 16 MB of brackets would take seconds, and a
 * gigabyte. It need not be JSON; then what counts is how far a parser could get.
 */
export function excessIn(text: string, { containers: maxContainers, values: max }: JsonBounds): JsonExcess | undefined {
  const maxValues = max ?? Number.POSITIVE_INFINITY;
  // Most long texts are long for their strings.
  if (text.length <= maxValues && !hasMoreBrackets(text, MAX_JSON_LEVELS)) return undefined;
  let levels = 0;
  let containers = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      values += 1;
    } else if (code === OPENS_OBJECT || code === OPENS_LIST) {
      levels += 1;
      containers += 1;
      values += 1;
      if (levels > MAX_JSON_LEVELS) return 'levels';
      if (containers > maxContainers) return 'containers';
    } else if (code === CLOSES_OBJECT || code === CLOSES_LIST) {
      levels -= 1;
    }
    if (values > maxValues) return 'values';
  }
  return undefined;
}

// An empty object in a list takes 64 bytes, and counts for two: its bracket and its comma.
const VALUE_BYTES = 32;

/** About how much memory JSON takes when it is parsed: more than its text, if it holds many values. */
export function parsedBytes(text: string): number {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === OPENS_OBJECT || code === OPENS_LIST) values += 1;
  }
  return text.length + VALUE_BYTES * values;
}

/** Whether there are more brackets than that, in strings or outside; much quicker than to tell the one from the other. */
function hasMoreBrackets(text: string, count: number): boolean {
  let left = count;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  }
  return left < 0;
}

/** The place of the quote that ends a string; the end of the text, if none does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escape each other, not the quote.
    if ((at - 1 - before) % 2 === 0) return at;
  }
  return text.length;
}
