/** Time, as far as a node needs it: the process's own, or one that a simulator turns. */
export interface Clock {
  /** In ms, from any beginning; never goes back. */
  now(): number;
  /** In ms since 1970, for records. */
  date(): number;
  /** Calls back once, after this time; the returned function calls it off. */
  after(ms: number, run: () => void): () => void;
  /** Resolves when what was told in this turn is on its way. */
  turn(): Promise<void>;
}

/** Resolves after some time. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** The time of this process. Nothing waits for its timers. */
export const processClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  async turn() {
    // What is written within a turn goes out at its end; the turn after the next one is later than that.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  },
};
