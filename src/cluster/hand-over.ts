import type { Asking } from './asking.ts';
import { type Clock, pause } from './clock.ts';
import type { Held } from './held-episodes.ts';
import type { HeldJournal } from './held-journal.ts';
import type { Membership } from './membership.ts';
import type { Residence } from './residence.ts';

/** What handing over needs. */
export interface HandOverParts {
  readonly clock: Clock;
  readonly journal: HeldJournal;
  readonly membership: Membership;
  readonly residence: Residence;
  readonly asking: Asking;
}

/** Gives the sessions of a node that stops to others: each when its calls have ended, or the time for that is up. */
export class HandOver {
  readonly #parts: HandOverParts;

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  /** Takes no new sessions from now on, and hands over those that can go on elsewhere. */
  async all(patienceMs: number): Promise<void> {
    const { journal, membership } = this.#parts;
    membership.draining = true;
    // Without anybody else they end as at any server that stops, and the next node takes them as it would take those of a dead one.
    if (this.#heir === undefined) return;
    await Promise.all(journal.episodes.movable.map(([key, held]) => this.#one(key, held, patienceMs).catch(() => {})));
  }

  /** Waits for something, but not longer than this. */
  within(work: Promise<unknown>, ms: number): Promise<unknown> {
    return Promise.race([work, pause(this.#parts.clock, ms)]);
  }

  /** The other node with the most room. */
  get #heir(): string | undefined {
    const { membership } = this.#parts;
    return membership.byRoom.find((id) => id !== membership.self.id);
  }

  async #one(key: string, { ref, place }: Held, patienceMs: number): Promise<void> {
    const { journal, membership, residence, asking } = this.#parts;
    await residence.move(key, ref, patienceMs, async () => {
      const heir = this.#heir;
      await journal.claims.give(key, heir);
      if (heir === undefined) return;
      membership.sent(heir);
      void asking.tryNode(heir, { op: 'adopt', place, id: asking.nextId() }).catch(() => {});
    });
  }
}
