import { type Addition, type Chapter, type Entry, type SharedJournal, Unreachable } from '../../src/cluster/index.ts';
import type { EpisodeRecord } from '../../src/durable/index.ts';
import { Fenced } from '../../src/journal/index.ts';
import type { Life } from './life.ts';
import type { Links } from './links.ts';

/** A record as it is stored. */
export interface Stored extends Entry {
  readonly record: EpisodeRecord;
}

/** Hears of each record that is stored. */
export type StoredListener = (stored: Stored, before: Stored | undefined) => void;

// As long as the real one waits.
const APPEND_MS = 2_000;
const READ_MS = 5_000;

/** A journal as JetStream keeps it: one append after each record, in one order for all. */
export class FakeJournal {
  readonly #links: Links;
  readonly #onStored: StoredListener;
  readonly #places = new Map<string, Stored[]>();
  #position = 0;

  constructor(links: Links, onStored: StoredListener) {
    this.#links = links;
    this.#onStored = onStored;
  }

  /** The last record of each place. */
  get lasts(): Stored[] {
    return [...this.#places.values()].flatMap((records) => records.at(-1) ?? []);
  }

  /** The journal as a process sees it. */
  of(life: Life): SharedJournal<EpisodeRecord> {
    const at = <Value>(limitMs: number, act: () => Value) => this.#roundTrip(life, limitMs, act);
    const scan = () => at(READ_MS, () => this.lasts.map(toEntry));
    return {
      isEncrypted: false,
      last: (place) => at(READ_MS, () => this.#last(place)),
      read: (place) => at(READ_MS, () => this.#read(place)),
      append: (place, addition, after) => {
        const text = JSON.stringify(addition);
        return at(APPEND_MS, () => this.#append(place, JSON.parse(text), after));
      },
      prune: (place, before) => at(READ_MS, () => this.#prune(place, before)),
      async *scan() {
        yield* await scan();
      },
    };
  }

  #last(place: string): Entry | undefined {
    const last = this.#places.get(place)?.at(-1);
    return last && toEntry(last);
  }

  #read(place: string): Chapter<EpisodeRecord> | undefined {
    const last = this.#last(place);
    const records = (this.#places.get(place) ?? []).map(({ record }) => structuredClone(record));
    return last && { records, last };
  }

  #append(place: string, addition: Addition<EpisodeRecord>, after: number): number {
    const records = this.#places.get(place) ?? [];
    const before = records.at(-1);
    if ((before?.position ?? 0) !== after) throw new Fenced('another record is the last one');
    this.#position += 1;
    const { record } = addition;
    const stored = { ...addition, place, position: this.#position, type: record.type, at: record.at };
    records.push(stored);
    this.#places.set(place, records);
    this.#onStored(stored, before);
    return this.#position;
  }

  #prune(place: string, before: number): void {
    const left = (this.#places.get(place) ?? []).filter(({ position }) => position >= before);
    if (left.length === 0) this.#places.delete(place);
    else this.#places.set(place, left);
  }

  /** Asks the journal, which acts when the question arrives; either way may be lost. */
  #roundTrip<Value>(life: Life, limitMs: number, act: () => Value): Promise<Value> {
    const links = this.#links;
    return new Promise((resolve, reject) => {
      const stop = life.after(limitMs, () => reject(new Unreachable(`no answer within ${limitMs} ms`)));
      const answer = (run: () => void) => {
        const heard = () => {
          stop();
          run();
        };
        links.carry(life.node, 'journal', { to: life, run: heard });
      };
      links.carry(life.node, 'journal', {
        run: () => {
          try {
            const value = act();
            life.timeline.note(() => `journal, to ${life.id}: ${JSON.stringify(value)}`);
            answer(() => resolve(value));
          } catch (thrown) {
            life.timeline.note(() => `journal, to ${life.id}: ${thrown}`);
            answer(() => reject(thrown));
          }
        },
      });
    });
  }
}

function toEntry({ place, position, node, epoch, id, type, at }: Stored): Entry {
  return { place, position, node, epoch, id, type, at };
}
