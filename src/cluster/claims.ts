import type { EpisodeRecord, OwnRecord } from '../durable/index.ts';
import { Fenced, type JournalEntry } from '../journal/index.ts';
import { keyOf } from '../sessions/index.ts';
import type { Clock } from './clock.ts';
import { type Held, type HeldEpisodes, inOrder, toHeld } from './held-episodes.ts';
import { type Chapter, type SharedJournal, Unreachable } from './shared-journal.ts';

/** What claiming needs. */
export interface ClaimsParts {
  readonly shared: SharedJournal<EpisodeRecord>;
  readonly clock: Clock;
  /** This node. */
  readonly node: string;
  readonly episodes: HeldEpisodes;
}

/** How episodes change hands: by a record that names their next node, of which only one can be added after each. */
export class Claims {
  readonly #parts: ClaimsParts;
  #taken: JournalEntry<EpisodeRecord>[] = [];
  #count = 0;

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
  }

  /** What was taken since the last time, and has no place among the sessions of this node yet; each is told once. */
  *taken(): Iterable<JournalEntry<EpisodeRecord>> {
    const taken = this.#taken;
    this.#taken = [];
    yield* taken;
  }

  /**
   * Takes an episode whose owner is dead, or that was handed over to this node. False if another node was faster. What has ended is not
   * taken, but known from then on.
   */
  async take(place: string): Promise<boolean> {
    const { shared, episodes } = this.#parts;
    const chapter = await shared.read(place);
    const first = chapter?.records[0];
    if (chapter === undefined || first === undefined) return false;
    const last = chapter.records.findLast(({ type }) => type !== 'own') ?? first;
    if (last.type === 'close') return this.#note(keyOf(last), chapter, last);
    if (first.type !== 'create') return false;
    const key = keyOf(first);
    if (episodes.has(key)) return true;
    // What was read may be of before it ended here: nothing would refuse to begin it once more, because it is this node's already.
    const ended = episodes.byKey.get(key);
    if (ended !== undefined && ended.epoch >= chapter.last.epoch)
      throw new Unreachable('the session has ended at this moment');
    if (episodes.beginning.has(key)) throw new Unreachable('the session begins at this moment');
    const own = await this.#own(chapter);
    if (own === undefined || episodes.has(key)) return own !== undefined;
    episodes.hold(key, toHeld(first, { place, ...own }));
    episodes.near.set(key, chapter.records);
    this.#taken.push({ key, first, last, lastSeq: own.count });
    return true;
  }

  /** Gives an episode to another node, or only lets go of it: then the next node that is asked for it takes it. */
  async give(key: string, node: string | undefined): Promise<void> {
    const { shared, clock, episodes } = this.#parts;
    const held = episodes.byKey.get(key);
    if (held === undefined || held.hasEnded) return;
    await inOrder(held, async () => {
      const epoch = held.epoch + 1;
      const id = this.#nextId();
      try {
        if (node === undefined) return;
        const record: OwnRecord = { type: 'own', at: clock.date(), node, epoch };
        await shared.append(held.place, { record, node, epoch, id }, held.position);
      } finally {
        // Its session has left this node in any case.
        episodes.forget(key);
      }
    });
  }

  /** Whose record is the last one: this node's already, or by a record that only one node can add. */
  async #own({
    records,
    last,
  }: Chapter<EpisodeRecord>): Promise<Pick<Held, 'position' | 'epoch' | 'count'> | undefined> {
    const { shared, clock, node } = this.#parts;
    const { position, epoch } = last;
    if (last.node === node) return { position, epoch, count: records.length };
    const record: OwnRecord = { type: 'own', at: clock.date(), node, epoch: epoch + 1 };
    const addition = { record, node, epoch: epoch + 1, id: this.#nextId() };
    try {
      const owned = await shared.append(last.place, addition, position);
      return { position: owned, epoch: epoch + 1, count: records.length + 1 };
    } catch (thrown) {
      if (thrown instanceof Fenced) return undefined;
      throw thrown;
    }
  }

  #note(key: string, { records }: Chapter<EpisodeRecord>, last: EpisodeRecord): false {
    this.#parts.episodes.near.set(key, records);
    this.#taken.push({ key, first: records[0] as EpisodeRecord, last, lastSeq: records.length });
    return false;
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#parts.node} claim ${this.#count}`;
  }
}
