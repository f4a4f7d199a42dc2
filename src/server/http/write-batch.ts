/**
 * Collects answers and gives them out together at the end of the event loop's turn. Writing from inside the callback
 * that parsed a request costs half the throughput: the loop then alternates between reading and writing.
 */
export class WriteBatch {
  readonly #onError: (thrown: unknown) => void;
  #queue: (() => void)[] = [];
  #scheduled = false;
  /** How many answers this turn has had, and whether the last one had no more than one. */
  #count = 0;
  #isQuiet = true;

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs work at the end of this turn, in order. */
  defer(work: () => void): void {
    this.#begin();
    this.#queue.push(work);
  }

  /** Runs work at once as long as there is one answer a turn, since nothing is gained then by waiting for the end of it. */
  soon(work: () => void): void {
    this.#begin();
    if (this.#isQuiet && this.#count === 1) this.#run(work);
    else this.#queue.push(work);
  }

  /** Resolves at the end of this turn. */
  end(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  #begin(): void {
    this.#count += 1;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const queue = this.#queue;
    this.#queue = [];
    this.#scheduled = false;
    this.#isQuiet = this.#count <= 1;
    this.#count = 0;
    for (const work of queue) this.#run(work);
  };

  #run(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      // One answer that cannot be written must not take the others of its turn along.
      this.#onError(thrown);
    }
  }
}
