/** An end that comes once, and that many follow: an AbortController for our own use, at a fraction of its cost. */
export class End {
  readonly #followers = new Set<() => void>();
  #came: { readonly reason: unknown } | undefined;

  get hasCome(): boolean {
    return this.#came !== undefined;
  }

  /** How many follow it. */
  get followers(): number {
    return this.#followers.size;
  }

  get reason(): unknown {
    return this.#came?.reason;
  }

  throwIfCome(): void {
    if (this.#came !== undefined) throw this.#came.reason;
  }

  /** Calls back when it comes, until the returned function is called. */
  follow(onEnd: () => void): () => void {
    // One of its own, so that somebody may follow twice.
    const follower = () => onEnd();
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Brings it about; a second time changes nothing. */
  come(reason: unknown): void {
    if (this.#came !== undefined) return;
    this.#came = { reason };
    for (const follower of this.#followers) follower();
    this.#followers.clear();
  }
}
