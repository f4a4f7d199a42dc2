import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import { BEATS, type Beat } from './messages.ts';

/** So often a node tells that it is alive. */
const BEAT_MS = 250;

/** A node that was silent for so long is dead to the others. */
export const DEAD_AFTER_MS = 1_500;

/** What a node tells of itself that changes. */
export type OwnState = Pick<Beat, 'sessions' | 'owned' | 'movable'>;

/** What a node is. */
export type Self = Pick<Beat, 'id' | 'name' | 'version' | 'since' | 'maxSessions'>;

interface Member {
  readonly beat: Beat;
  heardAt: number;
  /** Sessions that this node has sent there since the beat. */
  sent: number;
}

/**
 * Who is there. A node that does not hear its own beats is cut off, or was paused: it judges nobody until it hears them again, and then
 * begins to count anew.
 */
export class Membership {
  readonly self: Self;
  readonly #clock: Clock;
  readonly #bus: Bus;
  readonly #state: () => OwnState;
  readonly #members = new Map<string, Member>();
  /** Those that were seen to die: each start of a node has an id of its own, so most never come back. */
  readonly #dead = new LRUCache<string, true>({ max: 1_000 });
  readonly #onDeath = new Set<(id: string) => void>();
  #onReturn: () => void = () => {};
  #selfHeardAt = Number.NEGATIVE_INFINITY;
  #isCutOff = true;
  #listeningSince = 0;
  #generation = 0;
  #draining = false;
  #stop: (() => void)[] = [];

  constructor(clock: Clock, bus: Bus, self: Self, state: () => OwnState) {
    this.#clock = clock;
    this.#bus = bus;
    this.self = self;
    this.#state = state;
  }

  /** Begins to beat, and to listen. */
  start(): void {
    const beat = () => {
      this.#beat();
      this.#sweep();
      this.#stop[1] = this.#clock.after(BEAT_MS, beat);
    };
    this.#stop[0] = this.#bus.subscribe(BEATS, (message) => this.#hear(message as Beat));
    beat();
  }

  /** Tells the others that this node stops, so that they need not wait until it is silent. */
  leave(): void {
    for (const stop of this.#stop) stop();
    this.#bus.publish(BEATS, { ...this.#toBeat(), isLast: true });
  }

  /** Whether this node hears not even itself, so that it knows nothing of the others. */
  get isCutOff(): boolean {
    if (!this.#isCutOff && this.#clock.now() - this.#selfHeardAt > DEAD_AFTER_MS) this.#isCutOff = true;
    return this.#isCutOff;
  }

  /** Grows whenever this node was cut off or paused: others may have taken over what it had. */
  get generation(): number {
    return this.#generation;
  }

  get draining(): boolean {
    return this.#draining;
  }

  set draining(draining: boolean) {
    this.#draining = draining;
    this.#beat();
  }

  /** Whether a node lives, as far as this one can tell: it has to have listened for a while to say that somebody is dead. */
  stateOf(id: string): 'alive' | 'dead' | 'unknown' {
    if (this.#members.has(id)) return 'alive';
    if (this.#dead.has(id)) return 'dead';
    return !this.isCutOff && this.#clock.now() - this.#listeningSince > DEAD_AFTER_MS ? 'dead' : 'unknown';
  }

  /** Takes a node for dead that nobody can reach; until it beats again. */
  gone(id: string): void {
    if (id !== this.self.id) this.#remove(id);
  }

  /** All that are alive, this one included. */
  get alive(): readonly Beat[] {
    return [...this.#members.values()].map(({ beat }) => beat);
  }

  /** Those that take sessions, the one with the most room first; of equals, this one. */
  get byRoom(): readonly string[] {
    const isElsewhere = ({ beat }: Member) => Number(beat.id !== this.self.id);
    return [...this.#members.values()]
      .filter(({ beat }) => !beat.draining)
      .sort((one, other) => loadOf(one) - loadOf(other) || isElsewhere(one) - isElsewhere(other))
      .map(({ beat }) => beat.id);
  }

  /** Counts a session that was sent to a node, until its next beat has it. */
  sent(id: string): void {
    const member = this.#members.get(id);
    if (member !== undefined) member.sent += 1;
  }

  /** How many sessions an identity has at other nodes. */
  ownedElsewhere(identity: string): number {
    const hashed = hashOf(identity);
    return this.alive.reduce((sum, { id, owned }) => (id === this.self.id ? sum : sum + (owned[hashed] ?? 0)), 0);
  }

  /** Calls back with each node that dies, until the returned function is called. */
  onDeath(listener: (id: string) => void): () => void {
    this.#onDeath.add(listener);
    return () => void this.#onDeath.delete(listener);
  }

  /** Calls back whenever this node was cut off or paused, and is back. There is one such listener. */
  onReturn(listener: () => void): void {
    this.#onReturn = listener;
  }

  #toBeat(): Beat {
    return { ...this.self, ...this.#state(), draining: this.#draining };
  }

  #beat(): void {
    this.#bus.publish(BEATS, this.#toBeat());
  }

  #hear(beat: Beat): void {
    const now = this.#clock.now();
    if (beat.id === this.self.id) this.#hearSelf(now);
    if (beat.isLast === true) return this.#remove(beat.id);
    this.#dead.delete(beat.id);
    this.#members.set(beat.id, { beat, heardAt: now, sent: 0 });
  }

  #hearSelf(now: number): void {
    const wasCutOff = this.isCutOff;
    this.#selfHeardAt = now;
    if (!wasCutOff) return;
    this.#isCutOff = false;
    this.#generation += 1;
    this.#listeningSince = now;
    // Their beats did not reach this node either.
    for (const member of this.#members.values()) member.heardAt = now;
    // The first time, it has just begun.
    if (this.#generation > 1) this.#onReturn();
  }

  #sweep(): void {
    if (this.isCutOff) return;
    const now = this.#clock.now();
    for (const [id, { heardAt }] of this.#members) if (now - heardAt > DEAD_AFTER_MS) this.#remove(id);
  }

  #remove(id: string): void {
    this.#dead.set(id, true);
    if (!this.#members.delete(id)) return;
    for (const listener of [...this.#onDeath]) listener(id);
  }
}

/** How beats name an identity: without telling who it is. */
export function hashOf(identity: string): string {
  return hash('sha256', identity, 'base64url').slice(0, HASH_CHARACTERS);
}

const HASH_CHARACTERS = 12;

function loadOf({ beat, sent }: Member): number {
  return (beat.sessions + sent) / Math.max(1, beat.maxSessions);
}
