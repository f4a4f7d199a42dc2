/**
 * A number for what a call asks: the same for the same tool and input, in whatever order the keys are, and nearly always
 * another for another one. Every call pays for it, so it makes no text of the input and looks at no more of it than it has
 * to: of long texts and lists only at the ends and their length, and not into what is nested deeply.
 */
export function checksumOf(name: string, input: unknown): number {
  return addValue(addText(0, name), input, 0) >>> 0;
}

// Whoever uses an id twice by mistake does not send two long texts that differ only in the middle.
const ENDS = 128;
const MAX_DEPTH = 16;

function addValue(sum: number, value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return addText(add(sum, 1), value);
    case 'number':
      return addNumber(add(sum, 2), value);
    case 'boolean':
      return add(sum, value ? 3 : 4);
    default:
      if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return add(sum, 5);
      return Array.isArray(value)
        ? addList(add(sum, 6), value, depth)
        : addObject(add(sum, 7), value as Record<string, unknown>, depth);
  }
}

function addText(sum: number, text: string): number {
  const { length } = text;
  let total = add(sum, length);
  for (let at = 0; at < length; at = next(at, length)) total = add(total, text.charCodeAt(at));
  return total;
}

function addList(sum: number, list: readonly unknown[], depth: number): number {
  const { length } = list;
  let total = add(sum, length);
  for (let at = 0; at < length; at = next(at, length)) total = addValue(total, list[at], depth + 1);
  return total;
}

/** Adds up its entries, each for itself: their order says nothing. */
function addObject(sum: number, object: Record<string, unknown>, depth: number): number {
  let entries = 0;
  for (const key in object) entries = (entries + addValue(addText(0, key), object[key], depth + 1)) | 0;
  return add(sum, entries);
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

function addNumber(sum: number, value: number): number {
  double[0] = value;
  return add(add(sum, words[0] as number), words[1] as number);
}

/** The next place to look at: past the middle of what is long. */
function next(at: number, length: number): number {
  return at === ENDS && length > 2 * ENDS ? length - ENDS : at + 1;
}

function add(sum: number, value: number): number {
  const product = Math.imul(sum ^ value, 0x9e3779b1);
  return product ^ (product >>> 15);
}
