// Some twenty thousand values, which is more than any model writes. A mistake has the whole path to its place, so that those
// of values far inside, or behind long names, weigh more.
const LARGE = 2_500_000;
const WEIGHT = 100;

/** Whether a JSON value is too large for a list of all mistakes in it. */
export function isLarge(value: unknown): boolean {
  return weigh(value, WEIGHT, LARGE) < 0;
}

/** What is left of an allowance after the values inside one, each of which weighs as much as its path and a little more. */
function weigh(value: unknown, weight: number, allowed: number): number {
  if (typeof value !== 'object' || value === null) return allowed;
  const isArray = Array.isArray(value);
  let left = allowed;
  for (const key in value) {
    const inner = weight + (isArray ? 1 : key.length);
    left -= inner;
    if (left < 0) return left;
    left = weigh((value as Record<string, unknown>)[key], inner, left);
    if (left < 0) return left;
  }
  return left;
}

/** Whether a JSON value is nested deeper than code that follows it can be trusted to go. */
export function isTooDeep(value: unknown): boolean {
  return excessOf(value, Number.POSITIVE_INFINITY) === 'depth';
}

/** What a JSON value has too much of, if anything: levels, or values. One walk, since every input pays for it. */
export function excessOf(value: unknown, maxValues: number): 'depth' | 'values' | undefined {
  const left = spend(value, 1, maxValues - 1);
  if (left >= 0) return undefined;
  return left === TOO_DEEP ? 'depth' : 'values';
}

/** How deep an input may be nested: far more than any model writes, and far less than the stack holds, also that of the author's own code. */
export const MAX_DEPTH = 500;

const TOO_DEEP = Number.NEGATIVE_INFINITY;

// A library may keep each mistake once for each level above it, with the whole path to its place each time: zod takes 4 GB
// for ninety thousand mistakes a hundred levels deep.
const COSTS = Array.from({ length: MAX_DEPTH + 1 }, (_, depth) =>
  Math.max(1, Math.floor(depth / 6 + (depth / 25) ** 2)),
);

/** How many values are left of those allowed, after what is inside this one; below zero, it has too many. */
function spend(value: unknown, depth: number, allowed: number): number {
  if (typeof value !== 'object' || value === null) return allowed;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const cost = COSTS[depth] as number;
  if (Array.isArray(value)) return spendItems(value, depth, allowed - value.length * cost);
  let left = allowed;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    left = typeof inner === 'object' ? spend(inner, depth + 1, left - cost) : left - cost;
    if (left < 0) return left;
  }
  return left;
}

function spendItems(items: readonly unknown[], depth: number, allowed: number): number {
  let left = allowed;
  for (let at = 0; at < items.length && left >= 0; at += 1) {
    const item = items[at];
    if (typeof item === 'object') left = spend(item, depth + 1, left);
  }
  return left;
}
