/**
 * A number for what a call asks: the same for the same tool and input, in whatever order the keys are, and nearly always
 * another for another one. Every call pays for it, so it makes no text of the input and looks at no more of it than it has
 * to: of long texts and lists only at the ends and their length, and not into what is nested deeply.
 */
export function checksumOf(name: string, input: unknown): number {
  return mix(addText(0, name), sumOf(input, 0)) >>> 0;
}

// Whoever uses an id twice by mistake does not send two long texts that differ only in the middle.
const ENDS = 128;
const MAX_DEPTH = 16;

// What kind of value it is, so that "1" and 1 differ, and {} and [].
const [TEXT, PLAIN, LIST, OBJECT, DEEP] = [1, 2, 3, 4, 5];

function sumOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return addText(TEXT, value);
  if (typeof value !== 'object' || value === null) return addText(PLAIN, String(value));
  if (depth > MAX_DEPTH) return DEEP;
  if (Array.isArray(value)) return sumOfList(value, depth);
  let sum: number = OBJECT;
  // Each entry for itself: their order says nothing.
  for (const key in value) sum = (sum + mix(addText(0, key), sumOf(value[key as never], depth + 1))) | 0;
  return mix(OBJECT, sum);
}

function sumOfList(list: readonly unknown[], depth: number): number {
  let sum = mix(LIST, list.length);
  const { length } = list;
  for (let at = 0; at < length; at = at === ENDS ? pastMiddle(length) : at + 1)
    sum = mix(sum, sumOf(list[at], depth + 1));
  return sum;
}

function addText(start: number, text: string): number {
  let sum = mix(start, text.length);
  const { length } = text;
  for (let at = 0; at < length; at = at === ENDS ? pastMiddle(length) : at + 1) sum = mix(sum, text.charCodeAt(at));
  return sum;
}

/** Where to go on after the first characters or entries: of what is long, only at its end. */
function pastMiddle(length: number): number {
  return length > 2 * ENDS ? length - ENDS : ENDS + 1;
}

function mix(sum: number, value: number): number {
  const product = Math.imul(sum ^ value, 0x9e3779b1);
  return product ^ (product >>> 15);
}
