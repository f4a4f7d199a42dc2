// More than any model writes; looking through as many takes about a millisecond.
const LARGE = 20_000;

/** Whether a JSON value holds more values than a list of mistakes should be made for. */
export function isLarge(value: unknown): boolean {
  return excessOf(value, LARGE) !== undefined;
}

/** Whether a JSON value is nested deeper than code that follows it can be trusted to go. */
export function isTooDeep(value: unknown): boolean {
  return excessOf(value, Number.POSITIVE_INFINITY) === 'depth';
}

/** What a JSON value has too much of, if anything: levels, or values. One walk, since every input pays for it. */
export function excessOf(value: unknown, maxValues: number): 'depth' | 'values' | undefined {
  const left = spend(value, MAX_DEPTH, maxValues - 1);
  if (left >= 0) return undefined;
  return left === TOO_DEEP ? 'depth' : 'values';
}

// Far more than any model writes, and far less than the stack holds, also that of the author's own code.
const MAX_DEPTH = 500;

const TOO_DEEP = Number.NEGATIVE_INFINITY;

/** How many values are left of those allowed, after what is inside this one; below zero, it has too many. */
function spend(value: unknown, levels: number, allowed: number): number {
  if (typeof value !== 'object' || value === null) return allowed;
  if (levels === 0) return TOO_DEEP;
  let left = allowed;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let at = 0; at < value.length && left >= 0; at += 1) {
      const item = value[at];
      if (typeof item === 'object') left = spend(item, levels - 1, left);
    }
    return left;
  }
  for (const key in value) {
    left -= 1;
    if (left < 0) return left;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object') left = spend(inner, levels - 1, left);
  }
  return left;
}
