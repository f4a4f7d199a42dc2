import type { Buffer } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { idOf, type KeyId, type Step } from './backlog.ts';
import { type Change, countAfter } from './change.ts';
import { Fenced, type JournalRecord } from './journal.ts';
import { hashOf, lastSeqIn, placeOf } from './places.ts';
import { fromSaved } from './reader.ts';
import type { Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';
import type { TailedTables } from './tailed-tables.ts';

/** A change that waits to be made. */
interface Waiting extends Step {
  /** Known when its turn has come. */
  before: number;
  resolve(seq: number): void;
  reject(error: Error): void;
}

/** A key, as tables and maps name it. */
interface Hashed {
  readonly hashed: Buffer;
  readonly id: KeyId;
}

const MOST_KNOWN = 20_000;

/** What a writer writes with. */
interface WriterParts<Kept extends JournalRecord> {
  readonly stores: Stores;
  readonly sealer: Sealer;
  readonly tables: TailedTables;
  /** The JSON of a record, without what it saved. */
  readonly toJson: (record: Kept) => string;
  /** Called once, when another process has taken over. */
  readonly onFenced: () => void;
}

/** Makes changes, many at once: all that were asked for within a turn, or while those before were being made. */
export class Writer<Kept extends JournalRecord> {
  readonly #parts: WriterParts<Kept>;
  // To hash a key costs as much as to write a record.
  readonly #known = new LRUCache<string, Hashed>({ max: MOST_KNOWN });
  #waiting: Waiting[] = [];
  #isScheduled = false;
  #making: Promise<void> | undefined;
  #refusal: Error | undefined;

  constructor(parts: WriterParts<Kept>) {
    this.#parts = parts;
  }

  append(key: string, record: Kept, lastSeq: number): Promise<number> {
    return this.#change(key, record, lastSeq);
  }

  async replace(key: string, record: Kept | undefined): Promise<void> {
    await this.#change(key, record, undefined);
  }

  /** Refuses all changes from now on, and waits for those before. */
  async close(): Promise<void> {
    this.#refusal ??= new Error('the journal is closed');
    while (this.#making !== undefined || this.#waiting.length > 0) await (this.#making ?? this.#makeAll());
    await this.#parts.tables.close();
  }

  /** Another process has taken over: from now on everything is refused. */
  fence(fenced: Fenced): void {
    if (!(this.#refusal instanceof Fenced)) this.#parts.onFenced();
    this.#refusal = fenced;
  }

  #change(key: string, record: Kept | undefined, lastSeq: number | undefined): Promise<number> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    const { sealer, toJson } = this.#parts;
    const { hashed, id } = this.#hashed(key);
    const seq = (lastSeq ?? 0) + 1;
    const text = record?.saved;
    const sealed = record && sealer.toBody(toJson(record), hashed, seq);
    const name = record && seq === 1 ? sealer.toBody(key, hashed) : undefined;
    const saved = text === undefined ? undefined : sealer.toBody(fromSaved({ seq, text }), hashed);
    const change = { hashed, lastSeq, name, record: sealed, saved };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, change, before: 0, resolve, reject });
      this.#schedule();
    });
  }

  #hashed(key: string): Hashed {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const hashed = hashOf(key);
    const added = { hashed, id: idOf(hashed) };
    this.#known.set(key, added);
    return added;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#making !== undefined) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#making === undefined && this.#waiting.length > 0) void this.#makeAll();
    });
  }

  #makeAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#making = this.#make(waiting).finally(() => {
      this.#making = undefined;
      if (this.#waiting.length > 0) this.#schedule();
    });
    return this.#making;
  }

  async #make(waiting: readonly Waiting[]): Promise<void> {
    const { tables } = this.#parts;
    let planned: readonly Waiting[] = waiting;
    try {
      await tables.ready();
      const steps = this.#plan(waiting);
      planned = steps;
      if (steps.length > 0) await tables.make(steps);
      for (const { change, resolve } of steps) resolve(countAfter(change));
    } catch (thrown) {
      if (thrown instanceof Fenced) this.fence(thrown);
      for (const { reject } of planned) reject(thrown as Error);
    }
  }

  /** The changes that can be made; the others are refused. */
  #plan(waiting: readonly Waiting[]): Waiting[] {
    const counts = new Map<KeyId, number>();
    return waiting.filter((each) => {
      const { id, change } = each;
      each.before = counts.get(id) ?? this.#count(id, change);
      const { lastSeq = each.before } = change;
      if (lastSeq !== each.before) {
        each.reject(mismatch(lastSeq, each.before));
        return false;
      }
      counts.set(id, countAfter(change));
      return true;
    });
  }

  // Only the owner writes, so what is there now is what will be there.
  #count(id: KeyId, { hashed, lastSeq }: Change): number {
    const { tables, stores } = this.#parts;
    const untabled = tables.backlog.countOf(id);
    if (untabled !== undefined) return untabled;
    const has = (seq: number) => stores.records.doesExist(placeOf(hashed, seq));
    // Cheaper than looking for the last.
    if (lastSeq !== undefined && !has(lastSeq + 1) && (lastSeq === 0 || has(lastSeq))) return lastSeq;
    return lastSeqIn(stores, hashed);
  }
}

function mismatch(lastSeq: number, count: number): Error {
  if (count > lastSeq) return new Fenced(`record ${lastSeq + 1} is there already`);
  return new Error(`cannot write record ${lastSeq + 1}, because the one before it is not there`);
}
