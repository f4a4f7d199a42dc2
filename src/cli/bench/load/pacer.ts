// Timers are late by up to this much; the rest of the time is waited for turn by turn of the event loop.
const TIMER_SLACK_MS = 1.5;

interface Waiting {
  readonly at: number;
  readonly go: (at: number | undefined) => void;
}

/**
 * Hands out arrival times at a fixed rate. One that is taken late is given at once and counts from it: what a slow server
 * keeps waiting is counted as waiting, and not left out.
 */
export class Pacer {
  readonly #intervalMs: number;
  readonly #begin: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;
  #isStopped = false;
  #isScheduled = false;

  constructor(perSecond: number, begin: number = performance.now()) {
    this.#intervalMs = 1000 / perSecond;
    this.#begin = begin;
  }

  /** Resolves with the next arrival time when it has come, or with undefined when the pacer was stopped. */
  take(): Promise<number | undefined> {
    return new Promise((resolve) => {
      if (this.#isStopped) return resolve(undefined);
      const at = this.#begin + this.#taken * this.#intervalMs;
      this.#taken += 1;
      if (at <= performance.now()) return resolve(at);
      // Times are handed out in order, so those who wait are in order as well.
      this.#waiting.push({ at, go: resolve });
      this.#schedule();
    });
  }

  /** How many arrivals are due that nobody has taken. */
  backlog(now: number): number {
    return Math.max(0, Math.floor((now - this.#begin) / this.#intervalMs) + 1 - this.#taken);
  }

  /** Lets go of what is due and not taken, so that a measurement does not begin with the debts of the warm-up. */
  forgive(now: number): void {
    this.#taken += this.backlog(now);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { go } of this.#waiting.splice(0)) go(undefined);
  }

  #schedule(): void {
    const [first] = this.#waiting;
    if (this.#isScheduled || first === undefined) return;
    this.#isScheduled = true;
    const tick = () => {
      this.#isScheduled = false;
      this.#release();
      this.#schedule();
    };
    const leftMs = first.at - performance.now();
    if (leftMs > TIMER_SLACK_MS + 1) setTimeout(tick, leftMs - TIMER_SLACK_MS);
    else setImmediate(tick);
  }

  #release(): void {
    const now = performance.now();
    const due = this.#waiting.findIndex(({ at }) => at > now);
    for (const { at, go } of this.#waiting.splice(0, due < 0 ? this.#waiting.length : due)) go(at);
  }
}
