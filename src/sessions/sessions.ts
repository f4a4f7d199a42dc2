import { LRUCache } from 'lru-cache';
import { EnvironmentError, TiltyardError, toFailureError } from '../core/index.ts';
import type { SessionEnd } from './episode/outcome.ts';
import { Session } from './episode/session.ts';
import type { SessionRef } from './host.ts';
import { keyOf } from './key.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import { SessionMemory } from './memory/session-memory.ts';
import type { SessionOptions } from './options.ts';
import { Reservation } from './reservation.ts';
import { sessionAbsent, stopping } from './session-errors.ts';
import { deadline, sweepMsFor } from './time-limit.ts';

/** What remains of a session that has ended. */
interface Tombstone {
  readonly until: number;
  readonly end: SessionEnd;
}

/** A session that is ready to be made, or to be given up. */
export interface Prepared {
  make(): Session;
  drop(): void;
}

/** All sessions of all owners, with the one timer that ends idle ones and frees old results. */
export class Sessions {
  /** By owner and id: those that live, and the places of those that are being made. */
  readonly #byOwner = new Map<string, Map<string, Session | Reservation>>();
  readonly #tombstones: LRUCache<string, Tombstone>;
  readonly #options: SessionOptions;
  readonly #memory: MemoryBudget;
  readonly #timer: NodeJS.Timeout;
  #size = 0;

  /** `onSweep` is called with the time whenever old things are freed. */
  constructor(options: SessionOptions, memory: MemoryBudget, onSweep: (now: number) => void) {
    this.#options = options;
    this.#memory = memory;
    // By size, since a cache with `max` would take the memory for all of them at once.
    this.#tombstones = new LRUCache({ maxSize: Math.max(1, options.maxTombstones), sizeCalculation: () => 1 });
    const { idleMs, lingerMs, setupMs } = options;
    const shortest = Math.min(idleMs, lingerMs, setupMs || Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => this.#sweep(onSweep), sweepMsFor(shortest)).unref();
  }

  /** The live session, or undefined. */
  find({ identity, sid }: SessionRef): Session | undefined {
    const session = this.#byOwner.get(identity)?.get(sid);
    return session instanceof Session && !session.isClosing ? session : undefined;
  }

  /** The live session; an error tells a session that ended from one that never was. */
  get(ref: SessionRef): Session {
    const session = this.find(ref);
    if (session === undefined) throw sessionAbsent(ref.sid, this.endOf(ref));
    return session;
  }

  /** What ended a session, while that is remembered. */
  endOf(ref: SessionRef): SessionEnd | undefined {
    const session = this.#byOwner.get(ref.identity)?.get(ref.sid);
    if (session instanceof Session) return session.end;
    const tombstone = this.#tombstones.peek(keyOf(ref));
    return tombstone !== undefined && tombstone.until > performance.now() ? tombstone.end : undefined;
  }

  /**
   * Makes a session whose place nobody else can take meanwhile. `prepare` may take its time; if it fails, takes too long,
   * or the session is deleted before it is there, nothing is left of it. `bytes` is what its client sent for it.
   */
  async create(ref: SessionRef, bytes: number, prepare: (memory: SessionMemory) => Promise<Prepared>): Promise<void> {
    this.#assertFree(ref);
    const memory = new SessionMemory(this.#memory, ref.identity);
    const refusal = memory.begin(bytes);
    if (refusal !== undefined) throw toFailureError(refusal);
    const reservation = new Reservation();
    this.#put(ref, reservation);
    const preparing = prepare(memory);
    try {
      const { make } = await Promise.race([preparing, reservation.cancelled]);
      // Also if that was in the same turn.
      if (reservation.why !== undefined) throw reservation.why;
      this.#tombstones.delete(keyOf(ref));
      this.#byOwner.get(ref.identity)?.set(ref.sid, make());
    } catch (thrown) {
      // It may still be under way.
      preparing.then(
        ({ drop }) => drop(),
        () => {},
      );
      this.#remove(ref);
      memory.end();
      throw thrown;
    }
  }

  /** Ends a session and returns when its teardown is over; false if there is none. */
  async end(ref: SessionRef, end: SessionEnd): Promise<boolean> {
    const found = this.#byOwner.get(ref.identity)?.get(ref.sid);
    if (found === undefined) return false;
    if (found instanceof Reservation) {
      found.cancel(sessionAbsent(ref.sid, 'deleted'));
      return true;
    }
    await found.close(end);
    found.memory.end();
    if (this.#byOwner.get(ref.identity)?.get(ref.sid) === found) {
      this.#remove(ref);
      this.#bury(ref, found.end ?? end);
    }
    return true;
  }

  /** Ends all sessions, side by side: each when its calls have ended, and all when the time for that is up. */
  async close(end: SessionEnd): Promise<void> {
    clearInterval(this.#timer);
    using timeUp = deadline(this.#options.drainMs);
    const ending: Promise<void>[] = [];
    for (const [ref, found] of this.#all()) {
      if (found instanceof Reservation) found.cancel(stopping());
      else ending.push(timeUp.or(found.drain()).then(async () => void (await this.end(ref, end))));
    }
    await Promise.all(ending);
  }

  *#all(): Generator<readonly [SessionRef, Session | Reservation]> {
    for (const [identity, owned] of this.#byOwner)
      for (const [sid, found] of owned) yield [{ identity, sid }, found] as const;
  }

  #put({ identity, sid }: SessionRef, reservation: Reservation): void {
    let owned = this.#byOwner.get(identity);
    if (owned === undefined) {
      owned = new Map();
      this.#byOwner.set(identity, owned);
    }
    owned.set(sid, reservation);
    this.#size += 1;
  }

  #remove({ identity, sid }: SessionRef): void {
    const owned = this.#byOwner.get(identity);
    if (!owned?.delete(sid)) return;
    this.#size -= 1;
    if (owned.size === 0) this.#byOwner.delete(identity);
  }

  #bury(ref: SessionRef, end: SessionEnd): void {
    const { tombstoneMs, maxTombstones } = this.#options;
    if (maxTombstones > 0) this.#tombstones.set(keyOf(ref), { until: performance.now() + tombstoneMs, end });
  }

  #assertFree({ identity, sid }: SessionRef): void {
    const owned = this.#byOwner.get(identity);
    if (owned?.has(sid)) {
      throw new TiltyardError(
        'session_exists',
        `session '${sid}' already exists. Delete it first, or ask /create_session for another id`,
      );
    }
    const { maxSessions, maxSessionsPerIdentity } = this.#options;
    if (this.#size >= maxSessions) throw tooMany(`session limit reached (${maxSessions}). Try again later`);
    // Without auth everybody is the same nobody, and the limit for all is enough.
    if (identity !== '' && owned !== undefined && owned.size >= maxSessionsPerIdentity)
      throw tooMany(`session limit reached (${maxSessionsPerIdentity} per identity). Delete one, or try again later`);
  }

  #sweep(onSweep: (now: number) => void): void {
    const now = performance.now();
    onSweep(now);
    this.#clearTombstones(now);
    const { setupMs } = this.#options;
    for (const [identity, owned] of this.#byOwner) {
      for (const [sid, found] of owned) {
        if (found instanceof Reservation) {
          if (setupMs > 0 && now - found.since > setupMs) found.cancel(tooLate(sid, setupMs));
          continue;
        }
        found.sweep(now);
        if (!found.isClosing && found.isIdle(now)) void this.end({ identity, sid }, 'expired');
      }
    }
  }

  #clearTombstones(now: number): void {
    // They all last equally long, so the oldest go first.
    const oldest = () => this.#tombstones.rvalues().next().value;
    for (let tombstone = oldest(); tombstone !== undefined && tombstone.until <= now; tombstone = oldest())
      this.#tombstones.pop();
  }
}

function tooMany(message: string): TiltyardError {
  return new TiltyardError('too_many_sessions', message);
}

function tooLate(sid: string, limitMs: number): EnvironmentError {
  const thrown = new Error(`timed out after ${limitMs} ms`);
  return new EnvironmentError('environment_failed', `the task of session '${sid}' could not be read`, { thrown });
}
