// More than any model writes; looking through as many takes about a millisecond.
const LARGE = 20_000;

/** Whether a JSON value holds more values than a list of mistakes should be made for. */
export function isLarge(value: unknown): boolean {
  const waiting = [value];
  let count = 0;
  // Not by recursion: nesting may be deeper than the stack.
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== 'object' || at === null) continue;
    const inner: unknown[] = Array.isArray(at) ? at : Object.values(at);
    count += inner.length;
    if (count > LARGE) return true;
    waiting.push(...inner);
  }
  return false;
}

// Far more than any model writes, and far less than the stack holds, also that of the author's own code.
const MAX_DEPTH = 500;

/** Whether a JSON value is nested deeper than code that follows it can be trusted to go. */
export function isTooDeep(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && isTooDeep(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && isTooDeep(inner, levels - 1)) return true;
  }
  return false;
}
