import { setTimeout as wait } from 'node:timers/promises';

/** Who hears how a provider takes the load. */
export interface LoadListener {
  /** An answer came, to a request that was sent then. */
  answered(sentAt: number): void;
  /** Too many requests, said of one that was sent then. */
  limited(sentAt: number): void;
  /** The provider has trouble of its own. */
  troubled(): void;
}

// Without Retry-After: from here, doubled each time, up to there.
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** One door for all requests to a provider: when it asks for a pause, nobody goes through. */
export class Gate {
  readonly #listener: LoadListener;
  #closedUntil = 0;
  #inARow = 0;

  constructor(listener: LoadListener) {
    this.#listener = listener;
  }

  /** Whether a request would have to wait. */
  get isClosed(): boolean {
    return this.#closedUntil > performance.now();
  }

  /** Waits until requests may be sent; returns the time at which this one is. */
  async pass(signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const left = this.#closedUntil - performance.now();
      if (left <= 0) return performance.now();
      await wait(Math.ceil(left), undefined, { signal });
    }
  }

  answered(sentAt: number): void {
    if (sentAt >= this.#closedUntil) this.#inARow = 0;
    this.#listener.answered(sentAt);
  }

  /** Closes for as long as the provider asks, or for a while. */
  limited(sentAt: number, retryAfterMs: number | undefined): void {
    // Requests that were under way together say the same thing only once.
    if (sentAt >= this.#closedUntil) this.#inARow += 1;
    const own = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#inARow - 1));
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + (retryAfterMs ?? own));
    this.#listener.limited(sentAt);
  }

  troubled(): void {
    this.#listener.troubled();
  }
}
