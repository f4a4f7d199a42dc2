import type { Buffer } from 'node:buffer';
import { statfs } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { Fenced, JournalFull, type JournalRecord } from './journal.ts';
import { hashOf, placeOf } from './places.ts';
import { fromSaved, type Reader } from './reader.ts';
import type { Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';

/** A change that waits for its transaction. */
interface Change {
  readonly key: string;
  readonly hashed: Buffer;
  /** The number of the record before, or `undefined` if all of the key are to go. */
  readonly lastSeq: number | undefined;
  readonly record: Buffer | undefined;
  readonly saved: Buffer | undefined;
  resolve(): void;
  reject(error: Error): void;
}

/** A change, and how many records its key has before and after it. */
interface Step {
  readonly change: Change;
  readonly count: number;
  readonly next: number;
}

/** What was last written of a key. */
interface Known {
  readonly hashed: Buffer;
  readonly count: number;
}

const MOST_KNOWN = 20_000;

/** Who writes, and how. */
interface Owner {
  readonly epoch: number;
  readonly folder: string;
  readonly sync: 'lazy' | 'always';
  /** Called once, when another process has taken over. */
  readonly onFenced: () => void;
}

/**
 * Writes changes, many in one transaction: all that were asked for within a turn, or while the transaction before was being committed.
 * Each transaction happens only if the journal still belongs to this owner.
 */
export class Writer {
  readonly #stores: Stores;
  readonly #sealer: Sealer;
  readonly #reader: Reader<JournalRecord>;
  readonly #owner: Owner;
  // Only the owner writes, so what it wrote last is what is there: looking would cost half of an append.
  readonly #known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  #waiting: Change[] = [];
  #isScheduled = false;
  #transaction: Promise<void> | undefined;
  #refusal: Error | undefined;

  constructor(stores: Stores, sealer: Sealer, reader: Reader<JournalRecord>, owner: Owner) {
    this.#stores = stores;
    this.#sealer = sealer;
    this.#reader = reader;
    this.#owner = owner;
  }

  async append(key: string, record: JournalRecord, lastSeq: number): Promise<number> {
    await this.#change(key, record, lastSeq);
    return lastSeq + 1;
  }

  async replace(key: string, record: JournalRecord | undefined): Promise<void> {
    await this.#change(key, record, undefined);
  }

  /** Refuses all changes from now on, and waits for those before. */
  async close(): Promise<void> {
    this.#refusal ??= new Error('the journal is closed');
    while (this.#transaction || this.#waiting.length > 0) {
      if (!this.#transaction) this.#write();
      await this.#transaction;
    }
  }

  /** Says in the journal that its owner is alive. */
  async beat(): Promise<void> {
    const { meta } = this.#stores;
    try {
      if (!(await this.#asOwner(() => void meta.put('beat', { at: Date.now() }, 0)))) this.#fence();
    } catch {
      // A full disk, say. Whoever wants to write will hear of it.
    }
  }

  /** Gives the journal up, so that the next owner need not ask whether this one is alive. */
  async release(): Promise<void> {
    const { meta } = this.#stores;
    // The epoch stays: it never comes again.
    const released = this.#asOwner(() => void meta.put('owner', null, this.#owner.epoch));
    // If it cannot be written, the next owner finds that this process is gone.
    await released.catch(() => {});
  }

  #change(key: string, record: JournalRecord | undefined, lastSeq: number | undefined): Promise<void> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    const hashed = this.#known.get(key)?.hashed ?? hashOf(key);
    const seq = (lastSeq ?? 0) + 1;
    const saved = record?.saved;
    const sealed = record && this.#sealer.seal(JSON.stringify(withoutSaved(record)), placeOf(hashed, seq));
    const state = saved === undefined ? undefined : this.#sealer.seal(fromSaved({ seq, text: saved }), hashed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, hashed, lastSeq, record: sealed, saved: state, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#transaction) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#transaction && this.#waiting.length > 0) this.#write();
    });
  }

  #write(): void {
    const changes = this.#waiting;
    this.#waiting = [];
    this.#transaction = this.#commit(changes).finally(() => {
      this.#transaction = undefined;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    // Only the owner writes, so what is there now is what will be there within the transaction.
    const steps = this.#plan(changes);
    try {
      const isOurs = await this.#asOwner(() => {
        for (const { change, count } of steps) this.#put(change, count);
      });
      if (!isOurs) throw this.#fence();
      if (this.#owner.sync === 'always') await this.#stores.environment.flushed;
      for (const { change, next } of steps) {
        this.#known.set(change.key, { hashed: change.hashed, count: next });
        change.resolve();
      }
    } catch (thrown) {
      for (const { change } of steps) change.reject(thrown as Error);
    }
  }

  /** The changes that can be made; the others are refused. */
  #plan(changes: readonly Change[]): Step[] {
    const counts = new Map<string, number>();
    const steps: Step[] = [];
    for (const change of changes) {
      const { key, lastSeq, record } = change;
      try {
        const count = counts.get(key) ?? this.#count(change);
        if (lastSeq !== undefined && count !== lastSeq) throw mismatch(lastSeq, count);
        const next = lastSeq === undefined ? Number(record !== undefined) : count + 1;
        counts.set(key, next);
        steps.push({ change, count, next });
      } catch (thrown) {
        change.reject(thrown as Error);
      }
    }
    return steps;
  }

  #count({ key, hashed, lastSeq }: Change): number {
    const known = this.#known.get(key);
    if (known) return known.count;
    // Cheaper than looking for the last.
    if (lastSeq !== undefined && !this.#reader.has(placeOf(hashed, lastSeq + 1)))
      if (lastSeq === 0 || this.#reader.has(placeOf(hashed, lastSeq))) return lastSeq;
    return this.#reader.lastSeq(hashed);
  }

  #put({ key, hashed, lastSeq, record, saved }: Change, count: number): void {
    const { keys, records, saved: states } = this.#stores;
    if (lastSeq === undefined) {
      for (let seq = record ? 2 : 1; seq <= count; seq++) records.remove(placeOf(hashed, seq));
      if (saved === undefined) states.remove(hashed);
      if (record === undefined) keys.remove(hashed);
    }
    if (record === undefined) return;
    const seq = (lastSeq ?? 0) + 1;
    if (seq === 1) keys.put(hashed, this.#sealer.seal(key, hashed));
    records.put(placeOf(hashed, seq), record);
    if (saved !== undefined) states.put(hashed, saved);
  }

  /** Makes changes in one transaction, if the journal is still ours; `false` if it is not, and then there are none. */
  async #asOwner(change: () => void): Promise<boolean> {
    const { meta } = this.#stores;
    try {
      return await meta.ifVersion('owner', this.#owner.epoch, change);
    } catch (thrown) {
      throw await toJournalError(thrown as CommitFailure, this.#owner.folder);
    }
  }

  #fence(): Fenced {
    const fenced = new Fenced(`another process has taken over the journal ${this.#owner.folder}`);
    if (!(this.#refusal instanceof Fenced)) this.#owner.onFenced();
    this.#refusal = fenced;
    return fenced;
  }
}

/** To copy a record takes longer than all else, and most have saved nothing. */
function withoutSaved(record: JournalRecord): JournalRecord {
  return record.saved === undefined ? record : { ...record, saved: undefined };
}

function mismatch(lastSeq: number, count: number): Error {
  if (count > lastSeq) return new Fenced(`record ${lastSeq + 1} is there already`);
  return new Error(`cannot write record ${lastSeq + 1}, because the one before it is not there`);
}

/** What lmdb rejects with: why is told a moment later. */
interface CommitFailure extends Error {
  readonly commitError?: Promise<never>;
}

const NO_SPACE = new Set([28 /* ENOSPC */, 122 /* EDQUOT */, 27 /* EFBIG */, -30792 /* MDB_MAP_FULL */]);
const EIO = 5;
const SCARCE_BYTES = 1_000_000;

async function toJournalError(failure: CommitFailure, folder: string): Promise<Error> {
  const told = failure.commitError?.then(undefined, (error: Error) => error);
  const cause = await Promise.race([told, new Promise<undefined>((resolve) => setTimeout(resolve, 100))]);
  const reason = (cause ?? failure) as Error & { code?: number };
  if (await isFull(reason.code, folder))
    return new JournalFull(
      `there is no room to write to the journal ${folder}. Nothing was lost: make room on its disk, and it goes on`,
      { cause: reason },
    );
  return new Error(`cannot write to the journal ${folder}: ${reason.message}`, { cause: reason });
}

async function isFull(code: number | undefined, folder: string): Promise<boolean> {
  if (code !== EIO) return code !== undefined && NO_SPACE.has(code);
  // What LMDB says if only a part of what it had to write found room.
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < SCARCE_BYTES;
}
