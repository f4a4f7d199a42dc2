import { Backlog } from './backlog.ts';
import { type Downtimes, servedBetween } from './downtimes.ts';
import type { Journal, JournalEntry, JournalRecord } from './journal.ts';
import { OwnedTables } from './owned-tables.ts';
import { BEAT_MS } from './owner.ts';
import { Reader } from './reader.ts';
import type { Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';
import { Tail } from './tail.ts';
import { TailedTables } from './tailed-tables.ts';
import { Writer } from './writer.ts';

/** What is known of a journal when it has been opened. */
interface Opened<Kept extends JournalRecord> {
  readonly id: string;
  readonly lastAlive: number | undefined;
  readonly downtimes: Downtimes;
  readonly epoch: number;
  readonly folder: string;
  readonly sync: 'lazy' | 'always';
  readonly isService: boolean;
  readonly toJson: (record: Kept) => string;
  readonly onFenced: () => void;
}

/** A journal on disk. It belongs to this process until it is closed, or another one takes over because this one was silent. */
export class LmdbJournal<Kept extends JournalRecord = JournalRecord> implements Journal<Kept> {
  readonly isPersistent = true;
  readonly isEncrypted: boolean;
  /** Of this journal, for as long as its folder exists. */
  readonly id: string;
  /** When its last owner was last known to be alive, in milliseconds since 1970; `undefined` if it is new. */
  readonly lastAlive: number | undefined;
  readonly #downtimes: Downtimes;
  readonly #stores: Stores;
  readonly #tables: OwnedTables;
  readonly #reader: Reader<Kept>;
  readonly #writer: Writer<Kept>;
  readonly #beats: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(stores: Stores, sealer: Sealer, opened: Opened<Kept>) {
    this.isEncrypted = sealer.keyId !== undefined;
    this.id = opened.id;
    this.lastAlive = opened.lastAlive;
    this.#downtimes = opened.downtimes;
    this.#stores = stores;
    const { epoch, folder, sync, toJson, onFenced } = opened;
    const backlog = new Backlog();
    this.#reader = new Reader(stores, sealer, () => backlog);
    this.#tables = new OwnedTables(stores, epoch, folder);
    const tables = new TailedTables(folder, backlog, this.#tables, new Tail(folder, epoch, sync));
    this.#writer = new Writer({ stores, sealer, tables, toJson, onFenced });
    if (opened.isService) this.#beats = setInterval(() => void this.#beat(), BEAT_MS).unref();
  }

  /** For how long it has been in use since a time, in ms: what nobody could use meanwhile has not grown old. */
  servedSince(at: number): number {
    return servedBetween(at, Date.now(), this.#downtimes);
  }

  append(key: string, record: Kept, lastSeq: number): Promise<number> {
    return this.#writer.append(key, record, lastSeq);
  }

  read(key: string): readonly Kept[] {
    return this.#reader.read(key);
  }

  entries(): Iterable<JournalEntry<Kept>> {
    return this.#reader.entries();
  }

  get size(): number {
    return this.#reader.size;
  }

  replace(key: string, record: Kept | undefined): Promise<void> {
    return this.#writer.replace(key, record);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#beats);
    await this.#writer.close();
    if (this.#beats) await this.#beat();
    await this.#tables.release();
    await this.#stores.environment.close();
  }

  async #beat(): Promise<void> {
    // The next write will report it, a full disk for example.
    const isOurs = await this.#tables.beat().catch(() => true);
    if (!isOurs) this.#writer.fence(this.#tables.fenced);
  }
}
