// What takes longer, `Infinity` included, would be over at once.
const LONGEST_MS = 2 ** 31 - 1;

/** A delay that a timer takes: as late as possible if it is longer than any. */
export function toDelay(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}
