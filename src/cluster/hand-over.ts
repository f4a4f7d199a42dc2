import type { Asking } from './asking.ts';
import { type Clock, pause } from './clock.ts';
import type { Held, HeldJournal } from './held-journal.ts';
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
    const moving = [...journal.held].filter(([, { canMove, hasEnded }]) => canMove && !hasEnded);
    await Promise.all(moving.map(([key, held]) => this.#one(key, held, patienceMs).catch(() => {})));
  }

  /** Waits for something, but not longer than this. */
  within(work: Promise<unknown>, ms: number): Promise<unknown> {
    return Promise.race([work, pause(this.#parts.clock, ms)]);
  }

  async #one(key: string, { ref, place }: Held, patienceMs: number): Promise<void> {
    const { journal, membership, residence, asking } = this.#parts;
    await residence.move(key, ref, patienceMs, async () => {
      const [heir] = membership.byRoom.filter((id) => id !== membership.self.id);
      // Without anybody else, whoever comes next takes it as it would take that of a dead node.
      if (heir === undefined || !(await journal.give(key, heir))) return;
      membership.sent(heir);
      void asking.tryNode(heir, { op: 'adopt', place, id: asking.nextId() }).catch(() => {});
    });
  }
}
