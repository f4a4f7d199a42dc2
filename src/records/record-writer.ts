import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Secrets } from '../core/index.ts';
import { version } from '../version.ts';
import type { Appender } from './appender.ts';
import { BlobFolder } from './blobs.ts';
import type { EventHead } from './event-head.ts';
import { type NewEvent, RECORD_VERSION, type RecordEvent } from './events.ts';
import type { StoredEvent } from './parse-event.ts';
import { type JsonFields, PendingLines } from './pending-lines.ts';
import { RecordError } from './record-error.ts';
import { RecordFile } from './record-file.ts';
import { hasNoBlobs, toStoredEvent } from './stored-events.ts';
import { hasSecrets, LARGE_CHARACTERS, type Storing } from './stored-values.ts';
import { Tally } from './tally.ts';

/** How a record is written. */
export interface WriteOptions {
  /**
   * Where images and large texts go, and the tools of the episode, which are there once for all records: a path, or a folder that several
   * writers share. Default: `blobs/` beside the record, with the tools in the record itself.
   */
  readonly blobs?: string | BlobFolder;
  /** Values that must not be in any file, by name: secrets of the episode, keys of model providers. */
  readonly secrets?: Secrets;
  /** What to do if the record exists: throw, or go on with it. Default: 'refuse'. */
  readonly existing?: 'refuse' | 'resume';
  /** When the file is made: at once, or with the first `flushLater`, in a folder that is there. Default: 'now'. */
  readonly created?: 'now' | 'later';
  /** Where events wait to be written, for those who take events of one record, flush it, and go on with the next. Default: its own. */
  readonly lines?: PendingLines;
  /** Gets the events that are in a record that goes on. */
  readonly onEvent?: (event: StoredEvent) => void;
}

/** An event whose fields are JSON already. */
export interface EventJson extends EventHead, JsonFields {
  /** Whether it is known that they hold neither an image nor what looks like a reference to a blob. Default: they are searched. */
  readonly hasNoBlobs?: boolean;
  /** The same number as in its fields, if a reward is there. */
  readonly reward?: number | null;
}

/**
 * Writes one episode down. An event is with the operating system when `append` returns, so it survives a kill of this process. It
 * waits for the disk: not for the event loop of a busy server.
 */
export class RecordWriter implements Disposable {
  readonly #file: RecordFile;
  readonly #storing: Storing;
  readonly #tally: Tally = new Tally();
  /** What is not written yet. */
  readonly #pending: PendingLines;
  /** How many events are written, and how many there are. */
  #written = 0;
  #next = 0;
  #startedAt: number | undefined;
  #hasEnded = false;

  private constructor(path: string, options: WriteOptions) {
    const { blobs = join(dirname(path), 'blobs'), secrets = {}, existing, created, onEvent } = options;
    const isShared = options.blobs !== undefined;
    this.#pending = options.lines ?? new PendingLines();
    this.#storing = { blobs: typeof blobs === 'string' ? new BlobFolder(blobs) : blobs, isShared, secrets };
    const take = (event: StoredEvent) => {
      this.#note(event);
      this.#next = event.n + 1;
      onEvent?.(event);
    };
    if (existing === 'resume' && existsSync(path)) this.#file = RecordFile.resume(path, take);
    else this.#file = created === 'later' ? RecordFile.createLater(path) : createFile(path);
    this.#written = this.#next;
  }

  /** Opens a record for writing, and makes its folder if need be. */
  static open(path: string, options: WriteOptions = {}): RecordWriter {
    return new RecordWriter(path, options);
  }

  /** The number of the next event. */
  get next(): number {
    return this.#next;
  }

  /** Whether its last event is there: nothing can follow. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** How large the record is, without blobs. */
  get size(): number {
    return this.#file.size;
  }

  /** Writes an event, and returns its number. */
  append(event: NewEvent): number {
    const n = this.add(event);
    this.flush();
    return n;
  }

  /** Takes an event, and returns its number; `flush` writes all that were taken, in one piece. */
  add(event: NewEvent): number {
    const { at = Date.now(), ...rest } = event;
    this.#assertInOrder(event);
    const whole = { n: this.#next, at, ...rest, ...this.#added(event, at) } as RecordEvent;
    this.#pending.text(`${JSON.stringify(toStoredEvent(whole, this.#storing))}\n`);
    return this.#note(whole);
  }

  /** The same with an event whose fields are JSON already, for those who write many: most are neither parsed nor made a text of. */
  addJson(event: EventJson): number {
    const { type, at, call, bytes, start, end } = event;
    this.#assertInOrder(event);
    const n = this.#next;
    const isSmall = end - start < LARGE_CHARACTERS;
    const isPlain = isSmall && (event.hasNoBlobs ?? hasNoBlobs(bytes.subarray(start, end)));
    if (isPlain && !hasSecrets(this.#storing.secrets)) this.#pending.event(n, event);
    else {
      const fields = JSON.parse(`{${bytes.toString('utf8', start, end)}}`) as object;
      const whole = { n, at, type, ...(call === undefined ? {} : { call }), ...fields } as RecordEvent;
      this.#pending.text(`${JSON.stringify(toStoredEvent(whole, this.#storing))}\n`);
    }
    return this.#note(event);
  }

  /** Writes what was taken. If the disk does not take it, it throws, nothing of it is there, and its numbers are used again. */
  flush(): void {
    if (this.#pending.isEmpty) return;
    try {
      this.#file.write(this.#pending.waiting);
      this.#written = this.#next;
    } finally {
      this.#forget();
    }
  }

  /**
   * Writes what was taken while others go on: for those who write many records side by side. One at a time, and not together with `flush`. If
   * the disk does not take it, it rejects, and the record cannot go on.
   */
  async flushLater(appender: Appender): Promise<void> {
    if (this.#pending.isEmpty) return;
    const next = this.#next;
    await this.#file.writeLater(this.#pending.take(), appender);
    this.#written = next;
  }

  /** Closes the file; who writes again opens it again. What was taken and not flushed is lost. */
  close(): void {
    this.#forget();
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Forgets what was taken and not written; its numbers are used again. */
  #forget(): void {
    this.#pending.clear();
    this.#next = this.#written;
  }

  /** Counts an event, and returns its number. */
  #note(event: NotedEvent): number {
    this.#tally.add(event);
    this.#startedAt ??= event.at;
    this.#hasEnded ||= event.type === 'end';
    this.#next += 1;
    return this.#next - 1;
  }

  #assertInOrder({ type }: Pick<NewEvent, 'type'>): void {
    if (this.#hasEnded) throw new RecordError(this.#file.path, `has ended: no '${type}' can follow`);
    if ((this.#next === 0) !== (type === 'episode'))
      throw new RecordError(this.#file.path, `must begin with one 'episode' event, and only there`);
  }

  #added(event: NewEvent, at: number): object {
    if (event.type === 'episode')
      return { v: RECORD_VERSION, versions: { tiltyard: version, node: process.versions.node, ...event.versions } };
    if (event.type !== 'end') return {};
    const { calls, rewards } = this.#tally;
    return { ms: event.ms ?? at - (this.#startedAt ?? at), calls, rewards };
  }
}

/** What is known of an event once it is taken. */
interface NotedEvent {
  readonly at: number;
  readonly type: string;
  readonly reward?: unknown;
}

function createFile(path: string): RecordFile {
  try {
    return RecordFile.create(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new RecordError(path, "exists. Choose another name, or go on with it: { existing: 'resume' }", { cause });
  }
}
