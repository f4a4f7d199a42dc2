/** What ends an operation early: a signal of the program's, or an end of our own. */
export type Stop = AbortSignal | End;

/**
 * An end that comes once, and that many follow. For our own use: it reads like an AbortSignal, of which there would be several for each request,
 * at a fraction of its cost.
 */
export class End {
  readonly #followers = new Set<() => void>();
  #came: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#came !== undefined;
  }

  /** How many follow it. */
  get followers(): number {
    return this.#followers.size;
  }

  get reason(): unknown {
    return this.#came?.reason;
  }

  /** The same for the platform; made for those who ask. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#came !== undefined) this.#controller.abort(this.#came.reason);
    return this.#controller.signal;
  }

  throwIfAborted(): void {
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
    this.#controller?.abort(reason);
    for (const follower of this.#followers) follower();
    this.#followers.clear();
  }
}
