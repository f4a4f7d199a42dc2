import { type Log, toError } from '../core/index.ts';
import { Fenced, type Journal, type JournalRecord } from '../journal/index.ts';
import type { ServerRecord } from './records.ts';

const RETRY_MS = 500;

/** Writes something, each time it is called. */
type Write = () => Promise<unknown>;

/** What becomes of who waits for something that another server does not let be written. */
type OnFenced = (thrown: unknown) => Promise<never>;

interface Waiting {
  /** Grows in the order in which records are to be written. */
  readonly number: number;
  readonly write: Write;
  readonly done: () => void;
  readonly refuse: (fenced: Fenced) => void;
}

/** How something is written. */
export interface Writing {
  /** Of which time of this server it is, where keys have owners. Default: of now. */
  readonly tenancy?: object | undefined;
  /** Hears that it takes longer. */
  readonly onDelay?: (() => void) | undefined;
}

/** How the last record of a key is written. */
export interface Ending extends Writing {
  /** The number of the record that it comes after. */
  readonly lastSeq?: number;
}

/** What a writer tells of. */
export interface JournalWriterOptions {
  readonly log: Log;
  /** Called once, when another server has taken over the journal: nothing may be told to anybody from then on. */
  readonly onFenced: () => void;
}

/**
 * Writes into a journal until it is written: a full disk delays what is told, and loses nothing. Records stay in order, also those
 * that have to wait.
 */
export class JournalWriter<Kept extends JournalRecord = ServerRecord> {
  readonly journal: Journal<Kept>;
  readonly #options: JournalWriterOptions;
  /** In order. */
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #isFenced = false;

  constructor(journal: Journal<Kept>, options: JournalWriterOptions) {
    this.journal = journal;
    this.#options = options;
  }

  /** Whether something could not be written, and waits for it. */
  get isFailing(): boolean {
    return this.#waiting.length > 0 || this.#isFenced;
  }

  /** Resolves when the record is durable, and never if another server has taken over. */
  append(key: string, record: Kept, lastSeq: number, writing?: Writing): Promise<unknown> {
    return this.#write(this.#appending(key, record, lastSeq, writing?.tenancy), writing?.onDelay, untold);
  }

  /** The same for what takes the place of all records of a key. */
  replace(key: string, record: Kept | undefined, writing?: Writing): Promise<unknown> {
    return this.#write(this.#replacing(key, record, writing?.tenancy), writing?.onDelay, untold);
  }

  /**
   * Writes the last record of a key: after the one with the number `lastSeq`, or else in place of all. False if another server has taken
   * over: then the end is that one's, and whoever waits for it here need not wait any longer.
   */
  end(key: string, record: Kept | undefined, { lastSeq, tenancy, onDelay }: Ending = {}): Promise<boolean> {
    const isAdded = record !== undefined && lastSeq !== undefined;
    const write = isAdded ? this.#appending(key, record, lastSeq, tenancy) : this.#replacing(key, record, tenancy);
    return this.#write(write, onDelay).then(() => true, isTaken);
  }

  /**
   * The same for the first record of a key; but rejects with `Fenced` if another server has the key. Where others share the journal it is
   * not tried again: whoever comes next may have found it there, and uses it by then.
   */
  create(key: string, record: Kept, onDelay?: () => void): Promise<unknown> {
    if (this.journal.isShared === true) return this.journal.replace(key, record);
    return this.#write(() => this.journal.replace(key, record), onDelay);
  }

  /** All records of a key, when they can be read. Never resolves if another server has taken over. */
  async read(key: string): Promise<readonly Kept[]> {
    const { journal } = this;
    if (journal.load !== undefined) await this.#load(key).catch(untold);
    return journal.read(key);
  }

  async #load(key: string): Promise<void> {
    for (;;) {
      try {
        return await this.journal.load?.(key);
      } catch (thrown) {
        // What cannot be reached now is not lost.
        if (thrown instanceof Fenced) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  #appending(key: string, record: Kept, lastSeq: number, tenancy: object | undefined): Write {
    // Not that of the moment at which it can be written: this server may have lost the key, and have it again.
    const its = tenancy ?? this.journal.tenancyOf?.(key);
    return () => this.journal.append(key, record, lastSeq, its);
  }

  #replacing(key: string, record: Kept | undefined, tenancy: object | undefined): Write {
    const its = tenancy ?? this.journal.tenancyOf?.(key);
    return () => this.journal.replace(key, record, its);
  }

  #write(write: Write, onDelay: (() => void) | undefined, onFenced: OnFenced = refuse): Promise<unknown> {
    this.#count += 1;
    const number = this.#count;
    if (this.#waiting.length > 0) return this.#wait(number, write, onDelay).catch(onFenced);
    return write().catch((thrown) => {
      if (this.#isOfOneKey(thrown)) return onFenced(thrown);
      if (this.#waiting.length === 0) this.#failed(thrown);
      if (!(thrown instanceof Fenced)) return this.#wait(number, write, onDelay).catch(onFenced);
      onDelay?.();
      return onFenced(thrown);
    });
  }

  #wait(number: number, write: Write, onDelay: (() => void) | undefined): Promise<void> {
    onDelay?.();
    // One that was on its way may fail when later ones wait already, perhaps for this one.
    const place = this.#waiting.findLastIndex((other) => other.number < number) + 1;
    return new Promise((done, refuse) => void this.#waiting.splice(place, 0, { number, write, done, refuse }));
  }

  #remove(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
  }

  /** Whether another server has taken one key, and all others can be written as before. */
  #isOfOneKey(thrown: unknown): thrown is Fenced {
    return thrown instanceof Fenced && this.journal.isShared === true;
  }

  #failed(thrown: unknown): void {
    if (thrown instanceof Fenced) return this.#fence(thrown);
    const message = 'the journal cannot be written: calls wait, and new ones are refused, until it can';
    this.#options.log.error({ error: toError(thrown) }, message);
    this.#retryLater();
  }

  async #retry(): Promise<void> {
    let count = 0;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await next.write();
      } catch (thrown) {
        if (this.#isOfOneKey(thrown)) {
          // What waits for a key of another server is never written. This server may have the key again by now.
          this.#remove(next);
          next.refuse(thrown);
          continue;
        }
        if (thrown instanceof Fenced) return this.#fence(thrown);
        return this.#retryLater();
      }
      this.#remove(next);
      count += 1;
      next.done();
    }
    this.#options.log.warn({ records: count }, 'the journal can be written again');
  }

  #retryLater(): void {
    setTimeout(() => void this.#retry(), RETRY_MS).unref();
  }

  #fence(fenced: Fenced): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(fenced);
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#options.onFenced();
  }
}

/** Whether something was not written because another server has taken over; anything else is thrown. */
function isTaken(thrown: unknown): false {
  if (thrown instanceof Fenced) return false;
  throw thrown;
}

async function refuse(thrown: unknown): Promise<never> {
  throw thrown;
}

/** Never resolves after another server has taken over: nothing of it may be told. */
function untold(thrown: unknown): Promise<never> {
  if (thrown instanceof Fenced) return new Promise(() => {});
  throw thrown;
}
