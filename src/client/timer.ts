// The longest delay a timer can have; a longer one, Infinity included, would fire at once.
const LONGEST_MS = 2 ** 31 - 1;

/** A delay that a timer takes: `Infinity` means as late as possible. */
export function toDelay(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

/** Lets a program end although this timer is set; browsers have no such notion. */
export function unref<Timer>(timer: Timer): Timer {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
  return timer;
}
