import type { Addition, Chapter, Entry, SharedJournal } from '../../src/cluster/index.ts';
import { Fenced, type JournalRecord } from '../../src/journal/index.ts';

interface Written<Kept> {
  readonly entry: Entry;
  readonly record: Kept;
}

/** The journal of a cluster in this process, as exact as the real one about who may append. */
export class MemorySharedJournal<Kept extends JournalRecord> implements SharedJournal<Kept> {
  readonly isEncrypted = true;
  readonly #places = new Map<string, Written<Kept>[]>();
  #position = 0;

  get size(): number {
    return this.#places.size;
  }

  async last(place: string): Promise<Entry | undefined> {
    await turn();
    return this.#places.get(place)?.at(-1)?.entry;
  }

  async read(place: string): Promise<Chapter<Kept> | undefined> {
    await turn();
    const written = this.#places.get(place) ?? [];
    const last = written.at(-1);
    return last && { records: written.map(({ record }) => record), last: last.entry };
  }

  async append(place: string, { record, ...head }: Addition<Kept>, after: number): Promise<number> {
    await turn();
    const written = this.#places.get(place) ?? [];
    if ((written.at(-1)?.entry.position ?? 0) !== after) throw new Fenced('another record is the last one');
    this.#position += 1;
    const entry = { place, position: this.#position, ...head, type: record.type, at: record.at };
    this.#places.set(place, [...written, { entry, record: JSON.parse(JSON.stringify(record)) }]);
    await turn();
    return entry.position;
  }

  async prune(place: string, before: number): Promise<void> {
    await turn();
    const left = this.#places.get(place)?.filter(({ entry }) => entry.position >= before) ?? [];
    if (left.length > 0) this.#places.set(place, left);
    else this.#places.delete(place);
  }

  async *scan(): AsyncIterable<Entry> {
    for (const written of [...this.#places.values()]) {
      await turn();
      const last = written.at(-1);
      if (last !== undefined) yield last.entry;
    }
  }
}

function turn(): Promise<void> {
  return new Promise(setImmediate);
}
