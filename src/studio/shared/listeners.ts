/** Those who want to know that something has changed. */
export class Listeners<Change = void> {
  readonly #all = new Set<(change: Change) => void>();

  get size(): number {
    return this.#all.size;
  }

  /** Returns what ends it. */
  add(listener: (change: Change) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(change: Change): void {
    for (const listener of [...this.#all]) listener(change);
  }
}
