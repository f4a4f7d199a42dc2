import { randomUUID } from 'node:crypto';
import { AgedMap, toSessionKey } from '../../sessions/index.ts';

// A client that repeats /create_session does so within seconds; what is older is forgotten.
const REMEMBERED = 10_000;

/** Gives out session ids, and the same one again to a client whose first answer was lost. */
export class Sids {
  readonly #issued = new AgedMap<true>();

  /** A new id, or the one asked for if it was issued to the same owner and has not been used. */
  issue(owner: string, asked: string | undefined): string {
    if (asked !== undefined && this.#issued.has(toSessionKey(owner, asked))) return asked;
    const sid = randomUUID();
    this.#issued.set(toSessionKey(owner, sid), true);
    const { size, oldest } = this.#issued;
    if (size > REMEMBERED && oldest !== undefined) this.#issued.delete(oldest.key);
    return sid;
  }

  /** Notes that an episode has begun under this key. */
  use(key: string): void {
    this.#issued.delete(key);
  }
}
