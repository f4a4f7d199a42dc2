import { Buffer } from 'node:buffer';
import type { JournalEntry, JournalRecord } from './journal.ts';
import { endOf, hashOf, placeOf, seqAt } from './places.ts';
import type { Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';

/** Reads what a journal keeps. Any number of processes may read while one writes. */
export class Reader<Kept extends JournalRecord> {
  readonly #stores: Stores;
  readonly #sealer: Sealer;

  constructor(stores: Stores, sealer: Sealer) {
    this.#stores = stores;
    this.#sealer = sealer;
  }

  get size(): number {
    return (this.#stores.keys.getStats() as { entryCount: number }).entryCount;
  }

  read(key: string): Kept[] {
    const hashed = hashOf(key);
    const records: Kept[] = [];
    for (const { key: place, value } of this.#stores.records.getRange({
      start: placeOf(hashed, 0),
      end: endOf(hashed),
    }))
      records.push(this.#toRecord(key, value, place));
    return withSaved(records, this.#savedOf(key, hashed));
  }

  *entries(): Iterable<JournalEntry<Kept>> {
    // Listed first, because a cursor must not stay open while others write.
    const all = [...this.#stores.keys.getRange().map(({ key, value }) => [Buffer.from(key), value] as const)];
    for (const [hashed, sealed] of all) {
      const key = this.#open('a key', sealed, hashed);
      const lastSeq = this.lastSeq(hashed);
      const first = this.#at(key, hashed, 1);
      const last = lastSeq === 1 ? first : this.#at(key, hashed, lastSeq);
      if (first && last) yield { key, first, last, lastSeq };
    }
  }

  has(place: Buffer): boolean {
    return this.#stores.records.doesExist(place);
  }

  /** The number of the last record of a key; 0 if there is none. */
  lastSeq(hashed: Buffer): number {
    // Backwards, so the range begins after its last.
    const range = { start: endOf(hashed), end: placeOf(hashed, 0), reverse: true, limit: 1 };
    for (const place of this.#stores.records.getKeys(range)) return seqAt(place);
    return 0;
  }

  #at(key: string, hashed: Buffer, seq: number): Kept | undefined {
    const place = placeOf(hashed, seq);
    const value = this.#stores.records.get(place);
    if (value === undefined) return undefined;
    return this.#toRecord(key, value, place);
  }

  #savedOf(key: string, hashed: Buffer): Saved | undefined {
    const value = this.#stores.saved.get(hashed);
    if (value === undefined) return undefined;
    return toSaved(this.#open(key, value, hashed));
  }

  #toRecord(key: string, value: Buffer, place: Buffer): Kept {
    return JSON.parse(this.#open(key, value, place)) as Kept;
  }

  #open(what: string, value: Buffer, place: Uint8Array): string {
    try {
      return this.#sealer.open(value, place);
    } catch (cause) {
      throw new Error(`the journal cannot read ${what}: ${(cause as Error).message}`, { cause });
    }
  }
}

/** A state, and the record that it belongs to. */
interface Saved {
  readonly seq: number;
  readonly text: string;
}

/** A state as text: not as JSON, since it is JSON already, and may be large. */
export function fromSaved({ seq, text }: Saved): string {
  return `${seq} ${text}`;
}

function toSaved(text: string): Saved {
  const space = text.indexOf(' ');
  return { seq: Number(text.slice(0, space)), text: text.slice(space + 1) };
}

function withSaved<Kept extends JournalRecord>(records: Kept[], saved: Saved | undefined): Kept[] {
  const record = saved && records[saved.seq - 1];
  if (saved && record) records[saved.seq - 1] = { ...record, saved: saved.text };
  return records;
}
