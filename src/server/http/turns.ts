/** Gives out turns of the event loop, one after the other: what takes long leaves room for everybody else in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that nobody else was given. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
