// Deeper JSON is written by nobody but those who want to break what walks through it.
const MAX_DEPTH = 1_000;

// Each takes up to a hundred bytes of memory, though as few as two on the wire.
const MAX_VALUES = 5_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** What makes a JSON text of a stranger too much to be parsed, to go on after "it is" or "it"; undefined if nothing does. */
export function excessIn(json: string): string | undefined {
  // Too short for either.
  if (json.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COMMA) values += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
    } else if (CLOSING.has(code)) depth -= 1;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
  }
  return undefined;
}

/** Where the string that begins here ends. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
}
