import type { CreateRecord, EpisodeRecord } from '../durable/index.ts';
import { Fenced, type Journal, type JournalEntry } from '../journal/index.ts';
import type { SessionRef } from '../sessions/index.ts';
import { Claims } from './claims.ts';
import type { Clock } from './clock.ts';
import { type Held, HeldEpisodes, inOrder, toHeld } from './held-episodes.ts';
import { placeOf } from './place.ts';
import type { Entry, Predecessor, SharedJournal } from './shared-journal.ts';

/** Hears what becomes of the episodes of a node. */
export interface HeldListener {
  /** Another node has taken over: nothing more may be told of this episode. */
  fenced(key: string, ref: SessionRef): void;
  /** A record is durable after so many ms. */
  appended(ms: number): void;
}

/**
 * The part of the cluster's journal that belongs to this node: a journal like others, except that each key is owned by itself. Others may
 * take a key at any time; then what is written to it is refused, and only that key is lost to this node.
 */
export class HeldJournal implements Journal<EpisodeRecord> {
  readonly isPersistent = true;
  readonly isShared = true;
  readonly node: string;
  readonly episodes: HeldEpisodes = new HeldEpisodes();
  readonly claims: Claims;
  readonly #shared: SharedJournal<EpisodeRecord>;
  readonly #clock: Clock;
  /** For keys that begin: which record their first one comes after. */
  readonly #firstAfter = new Map<string, Predecessor>();
  #listener: HeldListener = { fenced() {}, appended() {} };

  constructor(shared: SharedJournal<EpisodeRecord>, node: string, clock: Clock) {
    this.#shared = shared;
    this.node = node;
    this.#clock = clock;
    this.claims = new Claims({ shared, clock, node, episodes: this.episodes });
  }

  /** Who hears of it; there is one. */
  listen(listener: HeldListener): void {
    this.#listener = listener;
  }

  get isEncrypted(): boolean {
    return this.#shared.isEncrypted;
  }

  /** How many keys this node has. */
  get size(): number {
    return this.episodes.byKey.size;
  }

  /** What was taken since the last time; each is told once. */
  entries(): Iterable<JournalEntry<EpisodeRecord>> {
    return this.claims.taken();
  }

  /** The records of a key that are at hand: those that `load` has brought. */
  read(key: string): readonly EpisodeRecord[] {
    return this.episodes.near.get(key) ?? [];
  }

  /** Brings the records of a key near, so that `read` has them. */
  async load(key: string): Promise<void> {
    const { byKey, near } = this.episodes;
    for (let held = byKey.get(key); held !== undefined && !near.has(key); held = byKey.get(key)) {
      await held.tail;
      const chapter = await this.#shared.read(held.place);
      if (chapter === undefined || !this.#isOurs(held, chapter.last)) throw this.#fence(key, held);
      // Otherwise something was written meanwhile.
      if (chapter.last.position === held.position) near.set(key, chapter.records);
    }
  }

  tenancyOf(key: string): Held | undefined {
    return this.episodes.byKey.get(key);
  }

  append(key: string, record: EpisodeRecord, lastSeq: number, tenancy?: object): Promise<number> {
    const held = this.episodes.byKey.get(key);
    // It may be of the time before another node had the episode, and this one took it again: then the numbers tell nothing.
    if (held === undefined || held !== tenancy) return Promise.reject(notHeld());
    return inOrder(held, async () => {
      if (held.count > lastSeq) throw new Fenced(`record ${lastSeq + 1} is there already`);
      if (held.count < lastSeq) throw new Error(`cannot write record ${lastSeq + 1}: there are ${held.count}`);
      await this.#write(key, held, record);
      this.episodes.near.delete(key);
      return held.count;
    });
  }

  async replace(key: string, record: EpisodeRecord | undefined, tenancy?: object): Promise<void> {
    if (record?.type === 'create') return this.#create(key, record);
    const held = this.episodes.byKey.get(key);
    if (held === undefined || held !== tenancy) throw notHeld();
    await inOrder(held, async () => {
      if (record === undefined) {
        await this.#shared.prune(held.place, held.position + 1);
        return this.episodes.forget(key);
      }
      await this.#write(key, held, record);
      held.count = 1;
      this.episodes.near.delete(key);
      // If this fails, they go with the tombstone.
      await this.#shared.prune(held.place, held.position).catch(() => {});
    });
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.episodes.byKey.values()].map(({ tail }) => tail));
  }

  /** Lets something write the first record of a key, which comes after that one. */
  async beginAfter(key: string, after: Predecessor, begin: () => Promise<void>): Promise<void> {
    this.#firstAfter.set(key, after);
    await begin().finally(() => this.#firstAfter.delete(key));
  }

  /** Lets go of an episode if it is no longer this node's: it may have been cut off for a while. */
  async confirm(key: string): Promise<void> {
    const held = this.episodes.byKey.get(key);
    if (held === undefined) return;
    await held.tail;
    const last = await this.#shared.last(held.place);
    if (!this.#isOurs(held, last)) this.#fence(key, held);
  }

  /** The last record of a key. */
  last(key: string): Promise<Entry | undefined> {
    return this.#shared.last(placeOf(key));
  }

  async #create(key: string, record: CreateRecord): Promise<void> {
    const place = placeOf(key);
    const { beginning, near } = this.episodes;
    const { epoch, position } = this.#firstAfter.get(key) ?? NOTHING;
    const held = toHeld(record, { place, epoch: epoch + 1, position, count: 0 });
    beginning.add(key);
    try {
      await this.#write(key, held, record);
      this.episodes.hold(key, held);
      near.delete(key);
      // The tombstone of a session that had the same id before.
      if (position > 0) await this.#shared.prune(place, position + 1).catch(() => {});
    } finally {
      beginning.delete(key);
    }
  }

  async #write(key: string, held: Held, record: EpisodeRecord): Promise<void> {
    const startedAt = this.#clock.now();
    const id = this.#idOf(record, held);
    try {
      held.position = await this.#shared.append(
        held.place,
        { record, node: this.node, epoch: held.epoch, id },
        held.position,
      );
    } catch (thrown) {
      if (!(thrown instanceof Fenced)) throw thrown;
      const last = await this.#shared.last(held.place);
      if (last?.id !== id) throw this.#fence(key, held);
      // It was written the first time, and only the answer was lost.
      held.position = last.position;
    }
    held.count += 1;
    if (record.type === 'close') held.hasEnded = true;
    this.#listener.appended(this.#clock.now() - startedAt);
  }

  /** The same when it is written once more because nobody knows whether it was; another one for a session that is begun once more. */
  #idOf(record: EpisodeRecord, { epoch, count }: Held): string {
    const which = record.type === 'create' ? ` ${record.seed}` : '';
    return `${this.node} ${epoch} ${count + 1} ${record.type}${which}`;
  }

  /** Whether the last record of an episode says that it is this node's, and since the same time. */
  #isOurs({ epoch }: Held, last: Entry | undefined): boolean {
    return last?.node === this.node && last.epoch === epoch;
  }

  #fence(key: string, held: Held): Fenced {
    if (this.episodes.byKey.get(key) === held) {
      this.episodes.forget(key);
      // Of a tombstone nothing is lost: a session has begun anew elsewhere.
      if (!held.hasEnded) this.#listener.fenced(key, held.ref);
    }
    return new Fenced('another node has taken over the episode');
  }
}

const NOTHING: Predecessor = { position: 0, epoch: 0 };

function notHeld(): Fenced {
  return new Fenced('this node does not have the episode, or not since the same time');
}
