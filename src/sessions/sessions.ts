import { EnvironmentError, TiltyardError } from '../core/index.ts';
import { Counts } from './counts.ts';
import type { SessionEnd } from './episode/outcome.ts';
import type { Session } from './episode/session.ts';
import { ownerOf, sidOf } from './key.ts';
import type { SessionOptions } from './options.ts';
import { Reservation } from './reservation.ts';
import { sessionGone, stopping } from './session-errors.ts';
import { deadline, sweepMsFor } from './time-limit.ts';
import { Tombstones } from './tombstones.ts';

/** All sessions by key, with the one timer that ends idle ones and frees old results. */
export class Sessions {
  readonly #live = new Map<string, Session>();
  /** Keys whose session is being made. */
  readonly #reserved = new Map<string, Reservation>();
  /** How many of both each identity has. */
  readonly #owned = new Counts();
  readonly #tombstones: Tombstones;
  readonly #options: SessionOptions;
  readonly #timer: NodeJS.Timeout;

  /** `onSweep` is called with the time whenever old things are freed. */
  constructor(options: SessionOptions, onSweep: (now: number) => void) {
    this.#options = options;
    this.#tombstones = new Tombstones(options.tombstoneMs, options.maxTombstones);
    const { idleMs, lingerMs, setupMs } = options;
    const shortest = Math.min(idleMs, lingerMs, setupMs || Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => this.#sweep(onSweep), sweepMsFor(shortest)).unref();
  }

  get size(): number {
    return this.#live.size;
  }

  /** The live session of a key, or undefined. */
  find(key: string): Session | undefined {
    const session = this.#live.get(key);
    return session === undefined || session.isClosing ? undefined : session;
  }

  /** The live session of a key; an error tells a session that ended from one that never was. */
  get(key: string): Session {
    const session = this.#live.get(key);
    if (session !== undefined && !session.isClosing) return session;
    const end = session?.end ?? this.#tombstones.find(key, performance.now());
    throw end === undefined ? sessionNotFound(key) : sessionGone(sidOf(key), end);
  }

  /**
   * Makes a session under a key that nobody else can take meanwhile. `prepare` may take its time; if it fails, takes too
   * long, or the session is deleted before it is there, nothing is left of it.
   */
  async create(key: string, prepare: () => Promise<() => Session>): Promise<void> {
    this.#assertFree(key);
    const reservation = new Reservation();
    this.#reserved.set(key, reservation);
    this.#owned.add(ownerOf(key));
    try {
      const make = await Promise.race([prepare(), reservation.cancelled]);
      // Also if that was in the same turn.
      if (reservation.why !== undefined) throw reservation.why;
      this.#tombstones.clear(key);
      this.#live.set(key, make());
    } catch (thrown) {
      this.#owned.remove(ownerOf(key));
      throw thrown;
    } finally {
      this.#reserved.delete(key);
    }
  }

  /** Ends a session and returns when its teardown is over; false if there is none. */
  async end(key: string, end: SessionEnd): Promise<boolean> {
    const reservation = this.#reserved.get(key);
    reservation?.cancel(sessionGone(sidOf(key), 'deleted'));
    const session = this.#live.get(key);
    if (session === undefined) return reservation !== undefined;
    await session.close(end);
    if (this.#live.get(key) === session) {
      this.#live.delete(key);
      this.#owned.remove(ownerOf(key));
      this.#tombstones.set(key, performance.now(), session.end ?? end);
    }
    return true;
  }

  /** Ends all sessions, side by side: each when its calls have ended, and all when the time for that is up. */
  async close(end: SessionEnd): Promise<void> {
    clearInterval(this.#timer);
    for (const reservation of this.#reserved.values()) reservation.cancel(stopping());
    using timeUp = deadline(this.#options.drainMs);
    await Promise.all(
      [...this.#live].map(async ([key, session]) => {
        await timeUp.or(session.drain());
        await this.end(key, end);
      }),
    );
  }

  #assertFree(key: string): void {
    if (this.#live.has(key) || this.#reserved.has(key)) {
      throw new TiltyardError(
        'session_exists',
        `session '${sidOf(key)}' already exists. Delete it first, or ask /create_session for another id`,
      );
    }
    if (this.#live.size + this.#reserved.size >= this.#options.maxSessions) {
      throw new TiltyardError(
        'too_many_sessions',
        `the server has all the sessions it can take (${this.#options.maxSessions}). Try again later`,
      );
    }
    const owner = ownerOf(key);
    // Without auth everybody is the same nobody, and the limit for all is enough.
    if (owner !== '' && this.#owned.of(owner) >= this.#options.maxSessionsPerIdentity) {
      throw new TiltyardError(
        'too_many_sessions',
        `you have all the sessions that you may have (${this.#options.maxSessionsPerIdentity}). Delete one, or try again later`,
      );
    }
  }

  #sweep(onSweep: (now: number) => void): void {
    const now = performance.now();
    onSweep(now);
    this.#tombstones.sweep(now);
    const { setupMs } = this.#options;
    for (const [key, reservation] of this.#reserved)
      if (setupMs > 0 && now - reservation.since > setupMs) reservation.cancel(tooLate(sidOf(key), setupMs));
    for (const [key, session] of this.#live) {
      session.sweep(now);
      if (!session.isClosing && session.isIdle(now)) void this.end(key, 'expired');
    }
  }
}

/** The error of a session that this server has never had, or had long ago. */
export function sessionNotFound(key: string): TiltyardError {
  return new TiltyardError('session_not_found', `no session '${sidOf(key)}'. Start one with POST /create`);
}

function tooLate(sid: string, limitMs: number): EnvironmentError {
  const thrown = new Error(`it was not there after ${limitMs} ms`);
  return new EnvironmentError('environment_failed', `the task of session '${sid}' could not be read`, { thrown });
}
