import { Buffer } from 'node:buffer';
import { type Backlog, idOf, type KeyId } from './backlog.ts';
import type { JournalEntry, JournalRecord } from './journal.ts';
import { endOf, hashOf, lastSeqIn, placeOf } from './places.ts';
import type { Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';

/** Reads what a journal keeps: what its tables have, and what they do not have yet. Any number of processes may read while one writes. */
export class Reader<Kept extends JournalRecord> {
  readonly #stores: Stores;
  readonly #sealer: Sealer;
  readonly #untabled: () => Backlog;

  constructor(stores: Stores, sealer: Sealer, untabled: () => Backlog) {
    this.#stores = stores;
    this.#sealer = sealer;
    this.#untabled = untabled;
  }

  get size(): number {
    const { keys } = this.#stores;
    let { entryCount: size } = keys.getStats() as { entryCount: number };
    const backlog = this.#untabled();
    for (const id of backlog.ids) size += Number(backlog.countOf(id) !== 0) - Number(keys.doesExist(hashedOf(id)));
    return size;
  }

  read(key: string): Kept[] {
    return this.#read(key, hashOf(key), this.#untabled());
  }

  *entries(): Iterable<JournalEntry<Kept>> {
    const { keys } = this.#stores;
    const backlog = this.#untabled();
    // Listed first, because a cursor must not stay open while others write. Those that only the backlog has may be in the tables when their
    // turn comes.
    const listed = new Map<KeyId, Buffer>(Array.from(keys.getRange(), ({ key }) => [idOf(key), Buffer.from(key)]));
    for (const id of backlog.ids) if (!listed.has(id)) listed.set(id, hashedOf(id));
    for (const [id, hashed] of listed) {
      const changes = backlog.of(id);
      const name = changes.findLast((change) => change.name !== undefined)?.name ?? keys.get(hashed);
      if (name === undefined) continue;
      const key = this.#open('a key', name, hashed);
      const entry = changes.length > 0 ? this.#changed(key, hashed, backlog) : this.#tabled(key, hashed);
      if (entry) yield entry;
    }
  }

  #tabled(key: string, hashed: Buffer): JournalEntry<Kept> | undefined {
    const lastSeq = lastSeqIn(this.#stores, hashed);
    const first = this.#at(key, hashed, 1);
    const last = lastSeq === 1 ? first : this.#at(key, hashed, lastSeq);
    return first && last && { key, first, last, lastSeq };
  }

  #changed(key: string, hashed: Buffer, backlog: Backlog): JournalEntry<Kept> | undefined {
    const records = this.#read(key, hashed, backlog);
    const [first] = records;
    const last = records.at(-1);
    return first && last && { key, first, last, lastSeq: records.length };
  }

  #read(key: string, hashed: Buffer, backlog: Backlog): Kept[] {
    const { records, saved: states } = this.#stores;
    const range = { start: placeOf(hashed, 0), end: endOf(hashed) };
    let bodies = Array.from(records.getRange(range), ({ value }) => value);
    let state = states.get(hashed);
    for (const { lastSeq, record, saved } of backlog.of(idOf(hashed))) {
      if (lastSeq === undefined) [bodies, state] = [[], undefined];
      if (record !== undefined) bodies[lastSeq ?? 0] = record;
      state = saved ?? state;
    }
    const kept = bodies.map((body, index) => this.#toRecord(key, body, placeOf(hashed, index + 1)));
    return withSaved(kept, state && toSaved(this.#open(key, state, hashed)));
  }

  #at(key: string, hashed: Buffer, seq: number): Kept | undefined {
    const place = placeOf(hashed, seq);
    const value = this.#stores.records.get(place);
    if (value === undefined) return undefined;
    return this.#toRecord(key, value, place);
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

function hashedOf(id: string): Buffer {
  return Buffer.from(id, 'latin1');
}
