/** A moment that much work may wait for; it keeps no timer after its block. */
export interface Deadline extends Disposable {
  /** Waits for work, or until the time is up. */
  or(work: Promise<unknown>): Promise<unknown>;
}

/** The moment when so much time has passed from now on. */
export function deadline(limitMs: number): Deadline {
  let timer: NodeJS.Timeout | undefined;
  const passed =
    limitMs === 0
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          timer = setTimeout(resolve, limitMs);
        });
  return { or: (work) => Promise.race([passed, work]), [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Waits for work, but not for ever: false says that the time was up first. Work that throws counts as done. */
export async function settlesWithin(work: PromiseLike<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  const done = Promise.resolve(work).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, limit]);
  } finally {
    clearTimeout(timer);
  }
}

// Often enough to free memory soon, rarely enough to cost nothing with many sessions or calls.
const MAX_SWEEP_MS = 5_000;
const MIN_SWEEP_MS = 10;

/** How often to look for what is over, where this is the shortest time after which anything is. */
export function sweepMsFor(shortestMs: number): number {
  return Math.min(MAX_SWEEP_MS, Math.max(MIN_SWEEP_MS, shortestMs / 4));
}
