/** Something that can be aborted. */
export interface Abortable {
  /** Made when it is first asked for, by `abortOf`. */
  abort?: LazyAbort | undefined;
}

/** What aborts some work. */
export function abortOf(work: Abortable): LazyAbort {
  work.abort ??= new LazyAbort();
  return work.abort;
}

/** An AbortController that costs nothing until somebody asks for its signal, which most tools never do. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
