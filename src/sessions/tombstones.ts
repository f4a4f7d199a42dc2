import { LRUCache } from 'lru-cache';
import type { SessionEnd } from './episode/outcome.ts';
import type { SessionCalls } from './episode/session-calls.ts';
import type { SessionRef } from './host.ts';
import { keyOf } from './key.ts';

/** What remains of a session that has ended. */
export interface Tombstone {
  readonly until: number;
  readonly end: SessionEnd;
  /** Why it was lost, if it was. */
  readonly why: string | undefined;
  /** The calls of one that was lost: what was told of them can still be asked for. */
  readonly calls?: (() => SessionCalls) | undefined;
}

/** What remains of sessions that have ended, for a while, so that their clients hear why they are gone. */
export class Tombstones {
  readonly #max: number;
  readonly #byKey: LRUCache<string, Tombstone>;

  /** `onForgotten` hears the key of each whose time is up, or that makes room for others. */
  constructor(max: number, onForgotten: ((key: string) => void) | undefined) {
    this.#max = max;
    // By size, since a cache with `max` would take the memory for all of them at once.
    this.#byKey = new LRUCache({
      maxSize: Math.max(1, max),
      sizeCalculation: () => 1,
      // Not one that is deleted because its session has begun anew.
      dispose: (_tombstone, key, reason) => void (reason === 'evict' && onForgotten?.(key)),
    });
  }

  find(ref: SessionRef): Tombstone | undefined {
    const tombstone = this.#byKey.peek(keyOf(ref));
    return tombstone !== undefined && tombstone.until > performance.now() ? tombstone : undefined;
  }

  add(ref: SessionRef, tombstone: Tombstone): void {
    if (this.#max > 0) this.#byKey.set(keyOf(ref), tombstone);
  }

  /** Its session lives again. */
  remove(ref: SessionRef): void {
    this.#byKey.delete(keyOf(ref));
  }

  sweep(now: number): void {
    // They all last equally long, so the oldest go first.
    const oldest = () => this.#byKey.rvalues().next().value;
    for (let tombstone = oldest(); tombstone !== undefined && tombstone.until <= now; tombstone = oldest())
      this.#byKey.pop();
  }
}
