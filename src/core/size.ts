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
