import { toDelay, unref } from './timer.ts';

/** Something that is kept alive by pings. */
export interface Pinged {
  ping(): Promise<void>;
}

/** Pings all open sessions of a client, spread over the interval, with one timer. */
export class Pinger {
  readonly #everyMs: number;
  /** The sessions and when each is due. */
  readonly #due = new Map<Pinged, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    if (!(everyMs > 0)) throw new RangeError(`pingMs must be more than 0, not ${everyMs}`);
    this.#everyMs = everyMs;
  }

  add(session: Pinged): void {
    // Somewhere within the interval: a thousand sessions that are opened together must not ping together.
    this.#due.set(session, Date.now() + Math.random() * this.#everyMs);
    // Often enough that few pings go out together, as each of those takes a connection. They alone must not keep a
    // program running.
    this.#timer ??= unref(setInterval(() => this.#look(), toDelay(this.#everyMs / 50)));
  }

  remove(session: Pinged): void {
    this.#due.delete(session);
    if (this.#due.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = Date.now();
    // After a stall all are due at once; a tenth at a time is still five times as many as are needed.
    let left = Math.ceil(this.#due.size / 10);
    for (const [session, due] of this.#due) {
      if (due > now) continue;
      if (left === 0) return;
      left -= 1;
      // From when it was due, not from now, or every ping would be later than the last; after a sleep, from now.
      this.#due.set(session, Math.max(due, now - this.#everyMs) + this.#everyMs);
      void session.ping();
    }
  }
}
