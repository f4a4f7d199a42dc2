import { LRUCache } from 'lru-cache';
import type { CreateRecord, EpisodeRecord, OwnRecord } from '../durable/index.ts';
import { Fenced, type Journal, type JournalEntry } from '../journal/index.ts';
import { keyOf, type SessionRef } from '../sessions/index.ts';
import type { Clock } from './clock.ts';
import { placeOf } from './place.ts';
import { type Chapter, type Entry, type SharedJournal, Unreachable } from './shared-journal.ts';

/** Hears what becomes of the episodes of a node. */
export interface HeldListener {
  /** Another node has taken over: nothing more may be told of this episode. */
  fenced(key: string, ref: SessionRef): void;
  /** A record is durable after so many ms. */
  appended(ms: number): void;
}

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

/**
 * The part of the cluster's journal that belongs to this node: a journal like others, except that each key is owned by itself. Others may
 * take a key at any time; then what is written to it is refused, and only that key is lost to this node.
 */
export class HeldJournal implements Journal<EpisodeRecord> {
  readonly isPersistent = true;
  readonly isShared = true;
  readonly node: string;
  readonly #shared: SharedJournal<EpisodeRecord>;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #places = new Set<string>();
  /** Records that are at hand, because they were read a moment ago. */
  readonly #near = new LRUCache<string, readonly EpisodeRecord[]>({ max: MOST_NEAR });
  /** Those whose first record is being written. */
  readonly #beginning = new Set<string>();
  /** What was taken, and has no place among the sessions of this node yet. */
  #taken: JournalEntry<EpisodeRecord>[] = [];
  #listener: HeldListener = { fenced() {}, appended() {} };
  #claims = 0;

  constructor(shared: SharedJournal<EpisodeRecord>, node: string, clock: Clock) {
    this.#shared = shared;
    this.node = node;
    this.#clock = clock;
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
    return this.#held.size;
  }

  /** The episodes of this node, by key. */
  get held(): ReadonlyMap<string, Held> {
    return this.#held;
  }

  /** The episodes that live, and that another node could go on with. */
  get movable(): readonly (readonly [key: string, held: Held])[] {
    return [...this.#held].filter(([, { canMove, hasEnded }]) => canMove && !hasEnded);
  }

  /** Whether the episode of a place is this node's. */
  hasPlace(place: string): boolean {
    return this.#places.has(place);
  }

  /** What was taken since the last time; each is told once. */
  *entries(): Iterable<JournalEntry<EpisodeRecord>> {
    const taken = this.#taken;
    this.#taken = [];
    yield* taken;
  }

  /** The records of a key that are at hand: those that `load` has brought. */
  read(key: string): readonly EpisodeRecord[] {
    return this.#near.get(key) ?? [];
  }

  /** Brings the records of a key near, so that `read` has them. */
  async load(key: string): Promise<void> {
    for (let held = this.#held.get(key); held !== undefined && !this.#near.has(key); held = this.#held.get(key)) {
      await held.tail;
      const chapter = await this.#shared.read(held.place);
      if (chapter?.last.node !== this.node || chapter.last.epoch !== held.epoch) throw this.#fence(key, held);
      // Otherwise something was written meanwhile.
      if (chapter.last.position === held.position) this.#near.set(key, chapter.records);
    }
  }

  tenancyOf(key: string): Held | undefined {
    return this.#held.get(key);
  }

  append(key: string, record: EpisodeRecord, lastSeq: number, tenancy?: object): Promise<number> {
    const held = this.#held.get(key);
    // It may be of the time before another node had the episode, and this one took it again: then the numbers tell nothing.
    if (held === undefined || held !== tenancy) return Promise.reject(notHeld());
    return this.#inOrder(held, async () => {
      if (held.count > lastSeq) throw new Fenced(`record ${lastSeq + 1} is there already`);
      if (held.count < lastSeq) throw new Error(`cannot write record ${lastSeq + 1}: there are ${held.count}`);
      await this.#write(key, held, record);
      this.#near.delete(key);
      return held.count;
    });
  }

  async replace(key: string, record: EpisodeRecord | undefined, tenancy?: object): Promise<void> {
    if (record?.type === 'create') return this.#create(key, record);
    const held = this.#held.get(key);
    if (held === undefined || held !== tenancy) throw notHeld();
    await this.#inOrder(held, async () => {
      if (record === undefined) {
        await this.#shared.prune(held.place, held.position + 1);
        return this.#forget(key);
      }
      await this.#write(key, held, record);
      held.count = 1;
      this.#near.delete(key);
      // If this fails, they go with the tombstone.
      await this.#shared.prune(held.place, held.position).catch(() => {});
    });
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#held.values()].map(({ tail }) => tail));
  }

  /**
   * Takes an episode whose owner is dead, or that was handed over to this node. False if another node was faster. What has ended is not
   * taken, but known from then on.
   */
  async take(place: string): Promise<boolean> {
    const chapter = await this.#shared.read(place);
    const first = chapter?.records[0];
    if (chapter === undefined || first === undefined) return false;
    const last = chapter.records.findLast(({ type }) => type !== 'own') ?? first;
    if (last.type === 'close') return this.#note(keyOf(last), chapter, last);
    if (first.type !== 'create') return false;
    const key = keyOf(first);
    if (this.#has(key)) return true;
    if (this.#beginning.has(key)) throw new Unreachable('the session begins at this moment');
    const own = await this.#own(chapter);
    if (own === undefined || this.#has(key)) return own !== undefined;
    this.#hold(key, toHeld(first, { place, ...own }));
    this.#near.set(key, chapter.records);
    this.#taken.push({ key, first, last, lastSeq: own.count });
    return true;
  }

  /** Gives an episode to another node, or only lets go of it: then whoever is asked for it takes it. */
  async give(key: string, node: string | undefined): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined || held.hasEnded) return;
    await this.#inOrder(held, async () => {
      const epoch = held.epoch + 1;
      const id = this.#claimId();
      try {
        if (node === undefined) return;
        const record: OwnRecord = { type: 'own', at: this.#clock.date(), node, epoch };
        await this.#shared.append(held.place, { record, node, epoch, id }, held.position);
      } finally {
        // Its session has left this node in any case.
        this.#forget(key);
      }
    });
  }

  /** Whether an episode is still this node's: it may have been cut off for a while. */
  async confirm(key: string): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined) return;
    await held.tail;
    const last = await this.#shared.last(held.place);
    if (last?.node !== this.node || last.epoch !== held.epoch) this.#fence(key, held);
  }

  /** The last record of a key. */
  last(key: string): Promise<Entry | undefined> {
    return this.#shared.last(placeOf(key));
  }

  async #create(key: string, record: CreateRecord): Promise<void> {
    const place = placeOf(key);
    const begin = async ({ epoch, position }: Pick<Held, 'epoch' | 'position'>) => {
      const held = toHeld(record, { place, epoch: epoch + 1, position, count: 0 });
      await this.#write(key, held, record);
      this.#hold(key, held);
      this.#near.delete(key);
    };
    this.#beginning.add(key);
    try {
      await begin({ epoch: 0, position: 0 });
    } catch (thrown) {
      // Perhaps only a tombstone is in the way, of a session that had the same id before.
      const old = thrown instanceof Fenced ? await this.#tombstoneAt(place) : undefined;
      if (old === undefined) throw thrown;
      await begin(old);
      await this.#shared.prune(place, old.position + 1).catch(() => {});
    } finally {
      this.#beginning.delete(key);
    }
  }

  async #tombstoneAt(place: string): Promise<Entry | undefined> {
    const last = await this.#shared.last(place);
    return last?.type === 'close' ? last : undefined;
  }

  async #write(key: string, held: Held, record: EpisodeRecord): Promise<void> {
    const startedAt = this.#clock.now();
    // The same when it is written once more because nobody knows whether it was.
    const id = `${this.node} ${held.epoch} ${held.count + 1} ${record.type}`;
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

  /** Whose record is the last one: this node's already, or by a record that only one node can add. */
  async #own({
    records,
    last,
  }: Chapter<EpisodeRecord>): Promise<Pick<Held, 'position' | 'epoch' | 'count'> | undefined> {
    const { position, epoch } = last;
    if (last.node === this.node) return { position, epoch, count: records.length };
    const record: OwnRecord = { type: 'own', at: this.#clock.date(), node: this.node, epoch: epoch + 1 };
    const addition = { record, node: this.node, epoch: epoch + 1, id: this.#claimId() };
    try {
      const owned = await this.#shared.append(last.place, addition, position);
      return { position: owned, epoch: epoch + 1, count: records.length + 1 };
    } catch (thrown) {
      if (thrown instanceof Fenced) return undefined;
      throw thrown;
    }
  }

  #note(key: string, { records }: Chapter<EpisodeRecord>, last: EpisodeRecord): false {
    this.#near.set(key, records);
    this.#taken.push({ key, first: records[0] as EpisodeRecord, last, lastSeq: records.length });
    return false;
  }

  #inOrder<Value>(held: Held, act: () => Promise<Value>): Promise<Value> {
    const done = held.tail.then(act, act);
    held.tail = done.catch(() => {});
    return done;
  }

  #fence(key: string, held: Held): Fenced {
    if (this.#held.get(key) === held) {
      this.#forget(key);
      this.#listener.fenced(key, held.ref);
    }
    return new Fenced('another node has taken over the episode');
  }

  #has(key: string): boolean {
    return this.#held.get(key)?.hasEnded === false;
  }

  #hold(key: string, held: Held): void {
    this.#held.set(key, held);
    this.#places.add(held.place);
  }

  #forget(key: string): void {
    this.#places.delete(placeOf(key));
    this.#held.delete(key);
    this.#near.delete(key);
  }

  #claimId(): string {
    this.#claims += 1;
    return `${this.node} claim ${this.#claims}`;
  }
}

function notHeld(): Fenced {
  return new Fenced('this node does not have the episode, or not since the same time');
}

function toHeld(
  { identity, sid, durability, start }: CreateRecord,
  where: Pick<Held, 'place' | 'epoch' | 'position' | 'count'>,
): Held {
  const canMove = durability !== 'none' && start !== undefined;
  return { ref: { identity, sid }, ...where, tail: Promise.resolve(), canMove, hasEnded: false };
}
