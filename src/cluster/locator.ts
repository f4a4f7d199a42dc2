import { LRUCache } from 'lru-cache';
import { keyOf, type SessionRef } from '../sessions/index.ts';
import type { HeldJournal } from './held-journal.ts';
import type { HomeHost } from './home.ts';
import type { Membership } from './membership.ts';
import { placeOf } from './place.ts';
import type { Residence } from './residence.ts';
import { type Entry, type Predecessor, Unreachable } from './shared-journal.ts';

/** Where a session is: here, at another node, or nowhere. */
export type Whereabouts =
  | { readonly kind: 'here' }
  /** A session that begins now comes after this record: that of one with the same id that has ended, if any. */
  | { readonly kind: 'nobody'; readonly after: Predecessor }
  | { readonly kind: 'there'; readonly node: string };

const HERE: Whereabouts = { kind: 'here' };
const NOBODY: Whereabouts = { kind: 'nobody', after: { position: 0, epoch: 0 } };

const MOST_REMEMBERED = 100_000;

/** What a locator needs. */
export interface LocatorParts {
  readonly journal: HeldJournal;
  readonly membership: Membership;
  readonly residence: Residence;
  readonly home: HomeHost;
  /** Called whenever this node has taken over an episode. */
  readonly onTakeover: () => void;
}

/** Finds out who has a session, and takes it if that one is dead. */
export class Locator {
  readonly #parts: LocatorParts;
  /** By key: the node that had it when it was last asked for. By size, since one with `max` would take the memory for all of them at once. */
  readonly #owners = new LRUCache<string, string>({ maxSize: MOST_REMEMBERED, sizeCalculation: () => 1 });
  /** What is being taken, by place. */
  readonly #taking = new Map<string, Promise<boolean>>();
  #isStopped = false;

  constructor(parts: LocatorParts) {
    this.#parts = parts;
  }

  /** Rejects with `Unreachable` if that cannot be known now. */
  async locate(ref: SessionRef): Promise<Whereabouts> {
    const { journal, membership, residence } = this.#parts;
    const key = keyOf(ref);
    if (membership.isCutOff) throw new Unreachable('this node is cut off from the others');
    if (residence.has(key)) return HERE;
    const cached = this.#owners.get(key);
    if (cached !== undefined && membership.stateOf(cached) === 'alive') return { kind: 'there', node: cached };
    const last = await journal.last(key);
    return last === undefined ? NOBODY : this.#judge(key, last);
  }

  /** Looks again next time. */
  forget(ref: SessionRef): void {
    this.#owners.delete(keyOf(ref));
  }

  /** Takes nothing from now on: nobody would be here to end it. Resolves when what is being taken is here. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#taking.values());
  }

  /** Takes an episode, once at a time; false if another node was faster, or it has ended. */
  async take(place: string): Promise<boolean> {
    const { journal, home, onTakeover } = this.#parts;
    if (this.#isStopped) throw new Unreachable('this node is about to end');
    const before = this.#taking.get(place);
    if (before !== undefined) return before;
    const taking = journal.claims.take(place).then(async (isOurs) => {
      await home.recover();
      if (isOurs) onTakeover();
      return isOurs;
    });
    this.#taking.set(place, taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(place);
    }
  }

  async #judge(key: string, { type, node, position, epoch }: Entry): Promise<Whereabouts> {
    const { journal, membership } = this.#parts;
    if (type !== 'close' && node !== journal.node) {
      const state = membership.stateOf(node);
      if (state === 'unknown') throw new Unreachable('it is not known yet which nodes there are');
      if (state === 'alive') {
        this.#owners.set(key, node);
        return { kind: 'there', node };
      }
    }
    const ended: Whereabouts = { kind: 'nobody', after: { position, epoch } };
    // It has ended here, and the home host knows how.
    if (type === 'close' && journal.episodes.byKey.get(key)?.hasEnded === true) return ended;
    const place = placeOf(key);
    // One that is under way may have read the episode before this record was there.
    await this.#taking.get(place)?.catch(() => {});
    if (await this.take(place)) return HERE;
    // It has ended, or another node was faster.
    if (type === 'close') return ended;
    throw new Unreachable('another node takes it over at this moment');
  }
}
