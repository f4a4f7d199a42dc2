import { type Clock, pause } from './clock.ts';
import type { HeldJournal } from './held-journal.ts';
import type { Locator } from './locator.ts';
import type { Membership } from './membership.ts';
import { keeperOf } from './place.ts';
import type { Entry, SharedJournal } from './shared-journal.ts';

// Also without a death: tombstones grow old, and a node may have died while nobody was there.
const EVERY_MS = 60_000;

// Something could not be reached.
const AGAIN_MS = 2_000;

// Those that clients ask for are taken at once; the others must not be in their way.
const PER_SECOND = 50;

/** What looking after orphans needs. */
export interface OrphansParts {
  readonly clock: Clock;
  readonly shared: SharedJournal;
  readonly journal: HeldJournal;
  readonly membership: Membership;
  readonly locator: Locator;
  readonly tombstoneMs: number;
}

/**
 * Looks after episodes that nobody has: those of dead nodes are taken over, so that they end in time, and what is left of ended ones is
 * removed. Each survivor has its share. What others have taken from this node without its knowledge is torn down here.
 */
export class Orphans {
  readonly #parts: OrphansParts;
  #scanning: Promise<void> | undefined;
  /** In how many ms the next look is due. */
  #nextMs = EVERY_MS;
  #stop: () => void = () => {};
  #isStopped = false;

  constructor(parts: OrphansParts) {
    this.#parts = parts;
  }

  start(): void {
    const { membership } = this.#parts;
    membership.onDeath(() => this.#scanSoon(0));
    membership.onReturn(() => this.#scanSoon(0));
    this.#scanSoon(EVERY_MS / 20);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }

  #scanSoon(ms: number): void {
    this.#stop();
    if (this.#isStopped) return;
    this.#stop = this.#parts.clock.after(ms, () => this.#scan());
  }

  #scan(): void {
    if (this.#scanning !== undefined) {
      this.#nextMs = 0;
      return;
    }
    this.#nextMs = EVERY_MS;
    this.#scanning = this.#lookAfter()
      .catch(() => this.#failed())
      .finally(() => {
        this.#scanning = undefined;
        this.#scanSoon(this.#nextMs);
      });
  }

  #failed(): void {
    this.#nextMs = Math.min(this.#nextMs, AGAIN_MS);
  }

  async #lookAfter(): Promise<void> {
    const { clock, shared } = this.#parts;
    for await (const entry of shared.scan()) {
      if (this.#isStopped) return;
      // One that cannot be read now must not keep the others waiting.
      const hasActed = await this.#look(entry).catch(() => this.#failed() ?? true);
      if (hasActed) await pause(clock, 1_000 / PER_SECOND);
    }
  }

  async #look(entry: Entry): Promise<boolean> {
    const { clock, shared, journal, membership, locator, tombstoneMs } = this.#parts;
    const { place, position, node, type, at } = entry;
    const key = journal.episodes.keyAt(place);
    if (key !== undefined && node !== journal.node) {
      await journal.confirm(key);
      return true;
    }
    if (type === 'close') {
      if (clock.date() - at < tombstoneMs || !this.#isMine(place)) return false;
      await shared.prune(place, position + 1);
      return true;
    }
    if (node === journal.node) return key === undefined && locator.take(place);
    if (membership.stateOf(node) !== 'dead' || !this.#isMine(place)) return false;
    await locator.take(place);
    return true;
  }

  #isMine(place: string): boolean {
    const { membership, journal } = this.#parts;
    const takers = membership.alive.filter(({ draining }) => !draining).map(({ id }) => id);
    return keeperOf(place, takers) === journal.node;
  }
}
