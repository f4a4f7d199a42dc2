import { type Log, toError } from '../core/index.ts';
import { Fenced, type Journal, type JournalRecord } from '../journal/index.ts';
import type { EpisodeRecord } from './records.ts';

const RETRY_MS = 500;

interface Waiting {
  readonly write: () => Promise<unknown>;
  readonly done: () => void;
}

/** How something is written. */
export interface Writing {
  /** Of which time of this server it is, where keys have owners. Default: of now. */
  readonly tenancy?: object | undefined;
  /** Hears that it takes longer. */
  readonly onDelay?: (() => void) | undefined;
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
export class JournalWriter<Kept extends JournalRecord = EpisodeRecord> {
  readonly journal: Journal<Kept>;
  readonly #options: JournalWriterOptions;
  readonly #waiting: Waiting[] = [];
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
  append(key: string, record: Kept, lastSeq: number, { tenancy, onDelay }: Writing = {}): Promise<unknown> {
    // Not that of the moment at which it can be written: this server may have lost the key, and have it again.
    const its = tenancy ?? this.journal.tenancyOf?.(key);
    return this.#write(() => this.journal.append(key, record, lastSeq, its), onDelay).catch(untold);
  }

  /** The same for what takes the place of all records of a key. */
  replace(key: string, record: Kept | undefined, { tenancy, onDelay }: Writing = {}): Promise<unknown> {
    const its = tenancy ?? this.journal.tenancyOf?.(key);
    return this.#write(() => this.journal.replace(key, record, its), onDelay).catch(untold);
  }

  /**
   * The same for the first record of a key; but rejects with `Fenced` if another server has the key. Where others share the journal it is
   * not tried again: whoever comes next may have found it there, and uses it by then.
   */
  create(key: string, record: Kept, onDelay?: () => void): Promise<unknown> {
    if (this.journal.isShared === true) return this.journal.replace(key, record);
    return this.#write(() => this.journal.replace(key, record), onDelay);
  }

  #write(write: () => Promise<unknown>, onDelay: (() => void) | undefined): Promise<unknown> {
    if (this.#waiting.length > 0) return this.#wait(write, onDelay);
    return write().catch((thrown) => {
      if (this.#isOfOneKey(thrown)) throw thrown;
      if (this.#waiting.length === 0) this.#failed(thrown);
      return this.#wait(write, onDelay);
    });
  }

  #wait(write: () => Promise<unknown>, onDelay: (() => void) | undefined): Promise<void> {
    onDelay?.();
    return new Promise((done) => void this.#waiting.push({ write, done }));
  }

  /** Whether another server has taken one key, and all others can be written as before. */
  #isOfOneKey(thrown: unknown): boolean {
    return thrown instanceof Fenced && this.journal.isShared === true;
  }

  #failed(thrown: unknown): void {
    if (thrown instanceof Fenced) return this.#fence();
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
          // What waits for a key of another server is never written, and nobody is told. This server may have the key again by now.
          this.#waiting.shift();
          continue;
        }
        if (thrown instanceof Fenced) return this.#fence();
        return this.#retryLater();
      }
      this.#waiting.shift();
      count += 1;
      next.done();
    }
    this.#options.log.warn({ records: count }, 'the journal can be written again');
  }

  #retryLater(): void {
    setTimeout(() => void this.#retry(), RETRY_MS).unref();
  }

  #fence(): void {
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#options.onFenced();
  }
}

/** Never resolves after another server has taken over: nothing of it may be told. */
function untold(thrown: unknown): Promise<never> {
  if (thrown instanceof Fenced) return new Promise(() => {});
  throw thrown;
}
