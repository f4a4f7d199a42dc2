import { End, type Stop } from './end.ts';
import { TimedOut } from './errors.ts';
import { followStop } from './follow-signal.ts';
import { toDelay } from './timer.ts';

/** What a caller may say of how long an operation may take. */
export interface CallOptions {
  /** Gives up waiting; what the server does is not undone. */
  readonly signal?: AbortSignal | undefined;
  /** The most time for the whole operation, retries included. */
  readonly timeoutMs?: number | undefined;
}

/** The same where an operation is part of another. */
export interface OperationBounds {
  readonly signal?: Stop | undefined;
  readonly timeoutMs?: number | undefined;
}

/** An operation, for the error that tells of its end. */
export interface Operation {
  readonly what: string;
  readonly sid?: string | undefined;
}

/** One end out of the caller's, the session's and the time's; dispose of it when the operation is over. */
export class Deadline implements Disposable {
  readonly end: End = new End();
  readonly #unfollow: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ what, sid }: Operation, { signal, timeoutMs }: OperationBounds, session?: End) {
    this.#follow(signal);
    this.#follow(session);
    if (timeoutMs !== undefined) {
      const late = new TimedOut(`${what} took longer than ${timeoutMs} ms`, { sid });
      this.#timer = setTimeout(() => this.end.come(late), toDelay(timeoutMs));
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const unfollow of this.#unfollow) unfollow();
  }

  #follow(stop: Stop | undefined): void {
    if (stop?.aborted) this.end.come(stop.reason);
    else if (stop !== undefined) this.#unfollow.push(followStop(stop, () => this.end.come(stop.reason)));
  }
}
