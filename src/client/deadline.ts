import type { End } from './end.ts';
import { TimedOut } from './errors.ts';
import { followSignal } from './follow-signal.ts';
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
  readonly #unfollow: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ what, sid }: Operation, { signal, timeoutMs }: CallOptions, session?: End) {
    if (signal?.aborted) this.#controller.abort(signal.reason);
    else if (signal !== undefined)
      this.#unfollow.push(followSignal(signal, () => this.#controller.abort(signal.reason)));
    if (session?.hasCome) this.#controller.abort(session.reason);
    else if (session !== undefined) this.#unfollow.push(session.follow(() => this.#controller.abort(session.reason)));
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
    for (const unfollow of this.#unfollow) unfollow();
  }
}
