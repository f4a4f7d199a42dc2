import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keyOf, type SessionRef } from '../../sessions/index.ts';

// A client that repeats /create_session does so within seconds; what is older is forgotten.
const REMEMBERED = 10_000;

/** Gives out session ids, and the same one again to a client whose first answer was lost. */
export class SessionIds {
  readonly #issued = new LRUCache<string, true>({ maxSize: REMEMBERED, sizeCalculation: () => 1 });

  /** A new id, or the one asked for if it was issued to the same identity and has not been used. */
  issue(identity: string, asked: string | undefined): string {
    if (asked !== undefined && this.#issued.has(keyOf({ identity, sid: asked }))) return asked;
    const sid = randomUUID();
    this.#issued.set(keyOf({ identity, sid }), true);
    return sid;
  }

  /** Notes that an episode has begun under this id. */
  use(ref: SessionRef): void {
    this.#issued.delete(keyOf(ref));
  }
}
