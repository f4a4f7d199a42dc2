import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Failure } from '../core/index.ts';
import type { Journal, JournalEntry } from '../journal/index.ts';
import { type OnProgress, walkJournal } from './journal-walk.ts';
import { JournalWriter, type JournalWriterOptions } from './journal-writer.ts';
import type { ServerRecord, ToolBeginRecord, ToolEndRecord } from './records.ts';
import { ALWAYS_SERVED, type ServedSince } from './served-since.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** How calls are kept. */
export interface CallJournalOptions extends JournalWriterOptions {
  /** For how long a call is kept after it has ended. */
  readonly tombstoneMs: number;
  /** For how long servers have run since a time, in ms. */
  readonly servedSince?: ServedSince | undefined;
}

/** What the journal has of a call. */
export interface JournalledCall {
  readonly begin: ToolBeginRecord;
  /** Undefined if it may have run, and it is not known how it ended. */
  readonly end: ToolEndRecord | undefined;
}

/** Whether a key is that of a call: no identity and no id of a session begins with a line break. */
export function isCallKey(key: string): boolean {
  return key.startsWith(PREFIX);
}

const PREFIX = '\n';
const DIGEST_BYTES = 16;

// Dropping must not hold up the calls that are made meanwhile.
const DROPS_AT_A_TIME = 100;

const SLICES = 60;
const MIN_SLICE_MS = 10;
const MAX_SLICE_MS = 60_000;

/** The calls of toolkits in a journal, by their callers' ids. Each is dropped some time after it has ended. */
export class CallJournal {
  readonly #writer: JournalWriter;
  readonly #tombstoneMs: number;
  readonly #servedSince: ServedSince;
  readonly #sliceMs: number;
  readonly #timer: NodeJS.Timeout;
  /** By when they are dropped: the calls that have ended, in slices of time. */
  readonly #slices = new Map<number, Slice>();
  /** The keys of those that have not. */
  readonly #underWay = new Set<string>();
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    journal: Journal<ServerRecord>,
    { tombstoneMs, servedSince = ALWAYS_SERVED, ...options }: CallJournalOptions,
  ) {
    this.#writer = new JournalWriter(journal, options);
    this.#tombstoneMs = tombstoneMs;
    this.#servedSince = servedSince;
    this.#sliceMs = Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, tombstoneMs / SLICES));
    this.#timer = setInterval(() => this.#sweep(), this.#sliceMs).unref();
  }

  /** Why nothing new may begin now; undefined if it may. */
  get refusal(): Failure | undefined {
    return this.#writer.isFailing ? UNAVAILABLE : undefined;
  }

  /** Whether secrets may be in it. */
  get isEncrypted(): boolean {
    return this.#writer.journal.isEncrypted;
  }

  read(identity: string, callId: string): JournalledCall | undefined {
    const [begin, end] = this.#writer.journal.read(keyOf(identity, callId));
    if (begin?.type !== 'tool_begin' || begin.identity !== identity || begin.callId !== callId) return undefined;
    return { begin, end: end?.type === 'tool_end' ? end : undefined };
  }

  /** Notes that a call begins; false if that cannot be written now, and then nothing is left of it, unless it had begun before. */
  async begin(record: ToolBeginRecord): Promise<boolean> {
    const key = keyOf(record.identity, record.callId);
    this.#underWay.add(key);
    // Its caller can come again, and so it does not wait for a disk that is full.
    const isWritten = await new Promise<boolean>((resolve) => {
      const written = this.#writer.replace(key, record, { onDelay: () => resolve(false) });
      void written.then(() => resolve(true));
    });
    if (!isWritten && record.attempt === 1) void this.drop(record);
    else if (!isWritten) this.settle(record, record.at);
    return isWritten;
  }

  /** Notes that a call that has begun runs once more. It waits until that can be written: that it may have run must not be forgotten. */
  async beginAgain(record: ToolBeginRecord): Promise<void> {
    await this.#writer.replace(keyOf(record.identity, record.callId), record);
  }

  /** Notes how a call ended. */
  async end(begun: ToolBeginRecord, record: ToolEndRecord): Promise<void> {
    await this.#writer.append(keyOf(begun.identity, begun.callId), record, 1);
    this.settle(begun, record.at);
  }

  /** Keeps of a call that has ended only that it began. */
  settle({ identity, callId }: ToolBeginRecord, at: number): void {
    const key = keyOf(identity, callId);
    this.#underWay.delete(key);
    this.#keepUntil(at + this.#tombstoneMs, key, at);
  }

  /** Leaves nothing of a call that has not run. */
  async drop({ identity, callId }: ToolBeginRecord): Promise<void> {
    const key = keyOf(identity, callId);
    this.#underWay.delete(key);
    await this.#writer.replace(key, undefined);
  }

  /** Takes over the calls of an earlier server, unless somebody else reads the journal anyway and gives them to `adopt`. */
  recover(onProgress?: OnProgress): Promise<void> {
    return walkJournal(this.#writer.journal, (entry) => void (isCallKey(entry.key) && this.adopt(entry)), onProgress);
  }

  /** Takes over a call of an earlier server: it is read when somebody asks for it. */
  adopt({ key, last }: Pick<JournalEntry<ServerRecord>, 'key' | 'last'>): void {
    this.#keepUntil(Date.now() + this.#tombstoneMs - this.#servedSince(last.at), key, last.at);
  }

  /** Drops no more; to be called before the journal is closed. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#sweeping;
  }

  #keepUntil(until: number, key: string, at: number): void {
    const number = Math.ceil(until / this.#sliceMs);
    const slice = this.#slices.get(number) ?? new Slice();
    this.#slices.set(number, slice);
    slice.add(key, at);
  }

  #sweep(): void {
    if (this.#sweeping !== undefined || this.#writer.isFailing) return;
    this.#sweeping = this.#dropOld(Date.now() / this.#sliceMs).finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #dropOld(now: number): Promise<void> {
    for (const [number, slice] of this.#slices) {
      if (number > now) continue;
      this.#slices.delete(number);
      let dropping: Promise<unknown>[] = [];
      for (const key of slice.keys()) {
        if (this.#isClosed) return;
        if (!this.#isOver(key, slice.newestAt)) continue;
        dropping.push(this.#writer.replace(key, undefined));
        if (dropping.length < DROPS_AT_A_TIME) continue;
        await Promise.all(dropping);
        dropping = [];
      }
      await Promise.all(dropping);
    }
  }

  /** Whether nothing has happened under a key since then: it may have been run again, or be used for another call. */
  #isOver(key: string, newestAt: number): boolean {
    if (this.#underWay.has(key)) return false;
    const last = this.#writer.journal.read(key).at(-1);
    return last !== undefined && last.at <= newestAt;
  }
}

/** The keys of calls that are dropped at the same time. There are many of them, so each is as small as it can be. */
class Slice {
  /** When the last of them ended. */
  newestAt = 0;
  #digests: Buffer = Buffer.alloc(DIGEST_BYTES * 16);
  #length = 0;

  add(key: string, at: number): void {
    this.newestAt = Math.max(this.newestAt, at);
    if (this.#length === this.#digests.length) this.#digests = Buffer.concat([this.#digests], 2 * this.#length);
    this.#length += this.#digests.write(key.slice(PREFIX.length), this.#length, 'base64url');
  }

  *keys(): Generator<string> {
    for (let at = 0; at < this.#length; at += DIGEST_BYTES)
      yield PREFIX + this.#digests.toString('base64url', at, at + DIGEST_BYTES);
  }
}

function keyOf(identity: string, callId: string): string {
  const digest = hash('sha256', `${identity}\n${callId}`, 'buffer').subarray(0, DIGEST_BYTES);
  return PREFIX + digest.toString('base64url');
}
