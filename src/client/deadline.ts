import { TimedOut } from './errors.ts';
import { toDelay } from './timer.ts';

/** What a caller may say of how long an operation may take. */
export interface CallOptions {
  /** Gives up waiting; what the server does is not undone. */
  readonly signal?: AbortSignal | undefined;
  /** The most time for the whole operation, retries included. */
  readonly timeoutMs?: number | undefined;
}

/** An operation, for the error that tells of its end. */
export interface Operation {
  readonly what: string;
  readonly sid?: string | undefined;
}

/** One signal out of the caller's, the session's and the time; dispose of it when the operation is over. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ what, sid }: Operation, { signal, timeoutMs }: CallOptions, session?: AbortSignal) {
    this.#sources = [signal, session].filter((source) => source !== undefined);
    for (const source of this.#sources) {
      if (source.aborted) this.#controller.abort(source.reason);
      source.addEventListener('abort', this.#onAbort);
    }
    if (timeoutMs !== undefined) {
      const late = new TimedOut(`${what} took longer than ${timeoutMs} ms`, { sid });
      this.#timer = setTimeout(() => this.#controller.abort(late), toDelay(timeoutMs));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (event: Event): void => this.#controller.abort((event.target as AbortSignal).reason);
}
