/**
 * Collects answers and gives them out together at the end of the event loop's turn. Writing from inside the callback
 * that parsed a request costs half the throughput: the loop then alternates between reading and writing.
 */
export class Turn {
  readonly #onError: (thrown: unknown) => void;
  #queue: (() => void)[] = [];
  #scheduled = false;

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs work at the end of this turn, in order. */
  defer(work: () => void): void {
    this.#queue.push(work);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Resolves at the end of this turn. */
  end(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  readonly #flush = (): void => {
    const queue = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    for (const work of queue) {
      try {
        work();
      } catch (thrown) {
        // One answer that cannot be written must not take the others of its turn along.
        this.#onError(thrown);
      }
    }
  };
}
