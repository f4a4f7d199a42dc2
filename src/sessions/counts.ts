/** Counts things by the name of their owner; an owner of nothing leaves nothing behind. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }

  /** What the owner of the most has; this looks at all of them. */
  get most(): number {
    let most = 0;
    for (const count of this.#counts.values()) if (count > most) most = count;
    return most;
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
