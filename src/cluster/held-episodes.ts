import { LRUCache } from 'lru-cache';
import type { CreateRecord, EpisodeRecord } from '../durable/index.ts';
import type { SessionRef } from '../sessions/index.ts';

/** An episode that this node has. */
export interface Held {
  readonly ref: SessionRef;
  readonly place: string;
  readonly epoch: number;
  /** Of its last record. */
  position: number;
  /** How many records it has. */
  count: number;
  /** What is being written; never rejects. */
  tail: Promise<unknown>;
  /** Whether another node can go on with it. */
  readonly canMove: boolean;
  /** Whether it has ended: what is left is a tombstone. */
  hasEnded: boolean;
}

// Records that were read to build an episode, and those of episodes that were lost: somebody may ask for their results.
const MOST_NEAR = 2_000;

/** What this node knows of the episodes that it has. */
export class HeldEpisodes {
  readonly #byKey = new Map<string, Held>();
  /** The keys of places. */
  readonly #keys = new Map<string, string>();
  /** Records that are at hand, because they were read a moment ago. */
  readonly near: LRUCache<string, readonly EpisodeRecord[]> = new LRUCache({ max: MOST_NEAR });
  /** Those whose first record is being written. */
  readonly beginning: Set<string> = new Set();

  /** All of them, by key; tombstones as well. */
  get byKey(): ReadonlyMap<string, Held> {
    return this.#byKey;
  }

  /** Those that live, and that another node could go on with. */
  get movable(): readonly (readonly [key: string, held: Held])[] {
    return [...this.#byKey].filter(([, { canMove, hasEnded }]) => canMove && !hasEnded);
  }

  /** Whether this node has it, and it lives. */
  has(key: string): boolean {
    return this.#byKey.get(key)?.hasEnded === false;
  }

  /** The key of the episode at a place, if it is this node's. */
  keyAt(place: string): string | undefined {
    return this.#keys.get(place);
  }

  hold(key: string, held: Held): void {
    this.#byKey.set(key, held);
    this.#keys.set(held.place, key);
  }

  forget(key: string): void {
    const held = this.#byKey.get(key);
    if (held !== undefined) this.#keys.delete(held.place);
    this.#byKey.delete(key);
    this.near.delete(key);
  }
}

/** An episode by its first record. */
export function toHeld(
  { identity, sid, durability, start }: CreateRecord,
  where: Pick<Held, 'place' | 'epoch' | 'position' | 'count'>,
): Held {
  const canMove = durability !== 'none' && start !== undefined;
  return { ref: { identity, sid }, ...where, tail: Promise.resolve(), canMove, hasEnded: false };
}

/** Does something with an episode when all that came before is done. */
export function inOrder<Value>(held: Held, act: () => Promise<Value>): Promise<Value> {
  const done = held.tail.then(act, act);
  held.tail = done.catch(() => {});
  return done;
}
