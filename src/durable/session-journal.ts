import type { SessionEnd, SessionMemory } from '../sessions/index.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { CloseRecord, CreateRecord, EpisodeRecord, ServerRecord } from './records.ts';

/** Where the journal of a session goes on. */
export interface JournalPlace {
  readonly lastSeq: number;
  /** In ms since 1970. */
  readonly writtenAt: number;
}

// What a record takes in memory besides its texts.
const RECORD_BYTES = 300;

/** The journal of one session: its records, in the order they were written. */
export class SessionJournal {
  readonly #writer: JournalWriter;
  readonly #key: string;
  readonly #memory: SessionMemory | undefined;
  #lastSeq: number;
  #last: Promise<unknown> = Promise.resolve();
  #savedBytes = 0;
  #isClosed = false;
  /** Whether its first record is known to be written. */
  #isCreated: boolean;
  /** Since when this server has it, where others may take it. */
  #tenancy: object | undefined;
  /** When something was written the last time, in ms since 1970. */
  writtenAt: number;

  /** `memory` is asked for the room of records that are not on disk. */
  constructor(writer: JournalWriter, key: string, memory: SessionMemory, { lastSeq, writtenAt }: JournalPlace = START) {
    this.#writer = writer;
    this.#key = key;
    this.#memory = writer.journal.isPersistent ? undefined : memory;
    this.#lastSeq = lastSeq;
    this.writtenAt = writtenAt;
    this.#isCreated = lastSeq > 0;
    if (this.#isCreated) this.#tenancy = writer.journal.tenancyOf?.(key);
  }

  /** Whether it outlives this process. */
  get isPersistent(): boolean {
    return this.#writer.journal.isPersistent;
  }

  /**
   * Writes the first record, in place of what is left of a session that had the same id before. Rejects with `Fenced` if another server
   * has such a session.
   */
  create(record: CreateRecord, onDelay: () => void): Promise<unknown> {
    this.writtenAt = record.at;
    this.#lastSeq = 1;
    const created = this.#writer.create(this.#key, record, onDelay).then(() => {
      this.#isCreated = true;
      this.#tenancy = this.#writer.journal.tenancyOf?.(this.#key);
    });
    this.#last = created.catch(() => {});
    return created;
  }

  /** Adds a record; resolves when it is durable. `onDelay` hears that this takes longer than it should. */
  append(record: EpisodeRecord, onDelay?: () => void): Promise<unknown> {
    if (this.#isClosed) return this.#last;
    this.writtenAt = record.at;
    if (this.#memory !== undefined) this.#count(record, this.#memory);
    this.#last = this.#writer.append(this.#key, record, this.#lastSeq, { tenancy: this.#tenancy, onDelay });
    this.#lastSeq += 1;
    return this.#last;
  }

  /** All records, once those that are being written are durable. */
  async read(): Promise<readonly ServerRecord[]> {
    await this.#last;
    return this.#writer.read(this.#key);
  }

  /**
   * Writes the last record: of a session that was lost, or ended with its server, results can still be asked for; of any other nothing
   * else is kept. False if another server has taken it over.
   */
  async close(record: CloseRecord): Promise<boolean> {
    if (this.#isClosed) return true;
    this.#isClosed = true;
    if (!this.isPersistent) return this.#forget();
    const place = hasReadableCalls(record.end) ? { lastSeq: this.#lastSeq } : undefined;
    const writing = { ...place, tenancy: this.#tenancy };
    if (record.end !== 'stopped') return this.#writer.end(this.#key, record, writing);
    // A server that stops does not wait for a disk that is full: the next one finds the session, and says that it is lost.
    return new Promise((resolve, reject) => {
      const onDelay = () => resolve(true);
      this.#writer.end(this.#key, record, { ...writing, onDelay }).then(resolve, reject);
    });
  }

  /** Writes nothing more: another server goes on with it. */
  async leave(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.isPersistent) await this.#forget();
  }

  /** Removes all of it; but nothing that others may have found in a journal that they share, if it is there at all. */
  async drop(): Promise<void> {
    this.#isClosed = true;
    if (!this.#isCreated && this.#writer.journal.isShared === true) return;
    await this.#writer.replace(this.#key, undefined, { tenancy: this.#tenancy });
  }

  #forget(): Promise<boolean> {
    return this.#writer.end(this.#key, undefined, { tenancy: this.#tenancy });
  }

  #count(record: EpisodeRecord, memory: SessionMemory): void {
    const input = record.type === 'end' ? record.call.input.length : 0;
    const saved = record.saved?.length ?? this.#savedBytes;
    // Of several states, only the last one is kept.
    memory.grow(RECORD_BYTES + input + saved - this.#savedBytes);
    this.#savedBytes = saved;
  }
}

/** Whether the calls of a session that ended so are kept for a while: its clients may have been cut off before they heard of them. */
export function hasReadableCalls(end: SessionEnd): boolean {
  return end === 'lost' || end === 'stopped';
}

const START: JournalPlace = { lastSeq: 0, writtenAt: 0 };
