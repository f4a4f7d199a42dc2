/** Counts things by the name of their owner; an owner of nothing leaves nothing behind. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }

  add(owner: string): void {
    this.#counts.set(owner, this.of(owner) + 1);
  }

  remove(owner: string): void {
    const left = this.of(owner) - 1;
    if (left > 0) this.#counts.set(owner, left);
    else this.#counts.delete(owner);
  }
}
