import { EnvironmentError, TiltyardError, toFailureError } from '../core/index.ts';
import { Dormant } from './dormant.ts';
import type { SessionEnd } from './episode/outcome.ts';
import { Session } from './episode/session.ts';
import type { SessionCalls } from './episode/session-calls.ts';
import type { Absence, SessionRef } from './host.ts';
import { isNobody } from './identity.ts';
import type { EpisodeKeeper } from './keeper.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import { SessionMemory } from './memory/session-memory.ts';
import type { SessionOptions } from './options.ts';
import { Reservation } from './reservation.ts';
import { absenceOf, sessionAbsent, stopping } from './session-errors.ts';
import { deadline, sweepMsFor } from './time-limit.ts';
import { type Tombstone, Tombstones } from './tombstones.ts';

/** What keeps sessions for after their process, as far as it is asked here. */
export interface SessionKeeper extends Pick<EpisodeKeeper, 'forget'> {
  /** Makes a session of one that nobody has asked for since the server started. */
  wake(ref: SessionRef, dormant: Dormant): Session;
  /** Notes the end of such a one. */
  endDormant(ref: SessionRef, end: SessionEnd): Promise<void>;
}

/** How many sessions there are. */
export interface SessionCounts {
  readonly all: number;
  /** By identity. */
  readonly owned: ReadonlyMap<string, number>;
}

type Place = Session | Reservation | Dormant;

/** A session that is ready to be made, or to be given up. */
export interface Prepared {
  make(): Session;
  drop(): void;
}

/** All sessions of all owners, with the one timer that ends idle ones and frees old results. */
export class Sessions {
  /** By owner and id: those that live, and the places of those that are being made. */
  readonly #byOwner = new Map<string, Map<string, Place>>();
  readonly #tombstones: Tombstones;
  readonly #options: SessionOptions;
  readonly #memory: MemoryBudget;
  readonly #timer: NodeJS.Timeout;
  readonly #keeper: SessionKeeper | undefined;
  #size = 0;

  /** `onSweep` is called with the time whenever old things are freed. */
  constructor(options: SessionOptions, memory: MemoryBudget, onSweep: (now: number) => void, keeper?: SessionKeeper) {
    this.#options = options;
    this.#memory = memory;
    this.#keeper = keeper;
    this.#tombstones = new Tombstones(options.maxTombstones, keeper && ((key) => keeper.forget(key)));
    const { idleMs, lingerMs, setupMs } = options;
    const shortest = Math.min(idleMs, lingerMs, setupMs || Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => this.#sweep(onSweep), sweepMsFor(shortest)).unref();
  }

  /** The live session, or undefined. */
  find({ identity, sid }: SessionRef): Session | undefined {
    const found = this.#byOwner.get(identity)?.get(sid);
    if (found instanceof Session) return found.isClosing ? undefined : found;
    return found instanceof Dormant ? this.#wake({ identity, sid }, found) : undefined;
  }

  /** The live session; an error tells a session that ended from one that never was. */
  get(ref: SessionRef): Session {
    const session = this.find(ref);
    if (session === undefined) throw toFailureError(this.absenceOf(ref));
    return session;
  }

  /** Why there is no such session. */
  absenceOf(ref: SessionRef): Absence {
    const found = this.#placeOf(ref);
    if (found instanceof Session) return found.absence;
    const tombstone = this.#tombstones.find(ref);
    return absenceOf(ref.sid, tombstone?.end, tombstone?.why);
  }

  /** The calls of a session that was lost. */
  callsOfLost(ref: SessionRef): SessionCalls | undefined {
    const found = this.#placeOf(ref);
    if (found instanceof Session) return found.ending.end === 'lost' ? found.calls : undefined;
    return this.#tombstones.find(ref)?.calls?.();
  }

  /** Takes over a session of an earlier server, which is woken when somebody asks for it. */
  adopt(ref: SessionRef, dormant: Dormant): void {
    this.#put(ref, dormant);
  }

  /** Takes over what is left of one that has ended. */
  bury(ref: SessionRef, tombstone: Tombstone): void {
    this.#tombstones.add(ref, tombstone);
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
      this.#tombstones.remove(ref);
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
    const found = this.#placeOf(ref);
    if (found === undefined) return false;
    if (found instanceof Dormant) return this.#endDormant(ref, end);
    if (found instanceof Reservation) {
      found.cancel(sessionAbsent(ref.sid, 'deleted'));
      return true;
    }
    await found.close(end);
    found.memory.end();
    // Who asks meanwhile is told to come again; also who deletes it, since it goes on.
    if (found.ending.isSuspended && end === 'deleted') throw toFailureError(found.absence);
    if (found.ending.isSuspended) return true;
    if (this.#placeOf(ref) === found) {
      this.#remove(ref);
      const calls = found.ending.end === 'lost' ? () => found.calls : undefined;
      this.#buryNow(ref, found.ending.end ?? end, found.ending.lost?.words, calls);
    }
    return true;
  }

  /** Lets go of a session without a trace, because another server has it; its calls may end first, for some time. */
  async release(ref: SessionRef, patienceMs: number): Promise<void> {
    const found = this.#placeOf(ref);
    if (found instanceof Session && patienceMs > 0) {
      using timeUp = deadline(patienceMs);
      await timeUp.or(found.drain());
    }
    if (found === undefined || this.#placeOf(ref) !== found) return;
    this.#remove(ref);
    if (found instanceof Reservation) return found.cancel(sessionAbsent(ref.sid, undefined));
    if (found instanceof Dormant) return;
    await found.leave();
    found.memory.end();
  }

  /** How many there are, and how many of each identity. */
  get counts(): SessionCounts {
    return { all: this.#size, owned: new Map(Array.from(this.#byOwner, ([identity, { size }]) => [identity, size])) };
  }

  /** Ends all sessions, side by side: each when its calls have ended, and all when the time for that is up. */
  async close(end: SessionEnd): Promise<void> {
    clearInterval(this.#timer);
    using timeUp = deadline(this.#options.drainMs);
    const ending: Promise<void>[] = [];
    for (const [ref, found] of this.#all()) {
      if (found instanceof Reservation) found.cancel(stopping());
      else if (found instanceof Session)
        ending.push(timeUp.or(found.drain()).then(async () => void (await this.end(ref, end))));
    }
    await Promise.all(ending);
  }

  #placeOf({ identity, sid }: SessionRef): Place | undefined {
    return this.#byOwner.get(identity)?.get(sid);
  }

  *#all(): Generator<readonly [SessionRef, Place]> {
    for (const [identity, owned] of this.#byOwner)
      for (const [sid, found] of owned) yield [{ identity, sid }, found] as const;
  }

  #wake(ref: SessionRef, dormant: Dormant): Session | undefined {
    const session = this.#keeper?.wake(ref, dormant);
    if (session !== undefined) this.#byOwner.get(ref.identity)?.set(ref.sid, session);
    return session;
  }

  #put({ identity, sid }: SessionRef, place: Place): void {
    let owned = this.#byOwner.get(identity);
    if (owned === undefined) {
      owned = new Map();
      this.#byOwner.set(identity, owned);
    }
    owned.set(sid, place);
    this.#size += 1;
  }

  #remove({ identity, sid }: SessionRef): void {
    const owned = this.#byOwner.get(identity);
    if (!owned?.delete(sid)) return;
    this.#size -= 1;
    if (owned.size === 0) this.#byOwner.delete(identity);
  }

  async #endDormant(ref: SessionRef, end: SessionEnd): Promise<boolean> {
    this.#remove(ref);
    this.#buryNow(ref, end, undefined, undefined);
    await this.#keeper?.endDormant(ref, end);
    return true;
  }

  #buryNow(ref: SessionRef, end: SessionEnd, why: string | undefined, calls: Tombstone['calls']): void {
    this.bury(ref, { until: performance.now() + this.#options.tombstoneMs, end, why, calls });
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
    if (!isNobody(identity) && owned !== undefined && owned.size >= maxSessionsPerIdentity)
      throw tooMany(`session limit reached (${maxSessionsPerIdentity} per identity). Delete one, or try again later`);
  }

  #sweep(onSweep: (now: number) => void): void {
    const now = performance.now();
    onSweep(now);
    this.#tombstones.sweep(now);
    const { setupMs, idleMs } = this.#options;
    for (const [identity, owned] of this.#byOwner) {
      for (const [sid, found] of owned) {
        if (found instanceof Reservation) {
          if (setupMs > 0 && now - found.since > setupMs) found.cancel(tooLate(sid, setupMs));
        } else if (found instanceof Dormant) {
          if (now - found.lastActive > idleMs) void this.end({ identity, sid }, 'expired');
        } else {
          found.sweep(now);
          if (!found.isClosing && found.isIdle(now)) void this.end({ identity, sid }, 'expired');
        }
      }
    }
  }
}

function tooMany(message: string): TiltyardError {
  return new TiltyardError('too_many_sessions', message);
}

function tooLate(sid: string, limitMs: number): EnvironmentError {
  const thrown = new Error(`timed out after ${limitMs} ms`);
  return new EnvironmentError('environment_failed', `the task of session '${sid}' could not be read`, { thrown });
}
