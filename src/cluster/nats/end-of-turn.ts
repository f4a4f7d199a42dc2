/**
 * Lets all who write within a turn write at its end. The library sends what it got as soon as nobody has anything to add, so by itself each
 * message would be a write of its own, which costs more than all else that is done for it.
 */
export class EndOfTurn {
  #coming: Promise<void> | undefined;

  /** Resolves at the end of this turn, in the order in which it was asked for. */
  wait(): Promise<void> {
    this.#coming ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#coming = undefined;
        resolve();
      });
    });
    return this.#coming;
  }
}
