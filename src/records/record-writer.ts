import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Secrets } from '../core/index.ts';
import { version } from '../version.ts';
import { BlobFolder } from './blobs.ts';
import { type NewEvent, RECORD_VERSION, type RecordEvent } from './events.ts';
import { RecordError } from './record-error.ts';
import { RecordFile } from './record-file.ts';
import { toStoredEvent } from './stored-events.ts';
import type { Storing } from './stored-values.ts';
import { Tally } from './tally.ts';

/** How a record is written. */
export interface WriteOptions {
  /** Where images and large texts go; several records may share it. Default: `blobs/` beside the record. */
  readonly blobs?: string;
  /** Values that must not be in any file, by name: secrets of the episode, keys of model providers. */
  readonly secrets?: Secrets;
  /** What to do if the record exists: throw, or go on with it. Default: 'refuse'. */
  readonly existing?: 'refuse' | 'resume';
}

/**
 * Writes one episode down. An event is with the operating system when `append` returns, so it survives a kill of this process. It
 * waits for the disk: not for the event loop of a busy server.
 */
export class RecordWriter implements Disposable {
  readonly #file: RecordFile;
  readonly #storing: Storing;
  readonly #tally: Tally = new Tally();
  #next = 0;
  #startedAt: number | undefined;
  #hasEnded = false;

  private constructor(path: string, { blobs = join(dirname(path), 'blobs'), secrets = {}, existing }: WriteOptions) {
    this.#storing = { blobs: new BlobFolder(blobs), secrets };
    this.#file =
      existing === 'resume' && existsSync(path)
        ? RecordFile.resume(path, (event) => this.#note(event))
        : createFile(path);
  }

  /** Opens a record for writing, and makes its folder if need be. */
  static open(path: string, options: WriteOptions = {}): RecordWriter {
    return new RecordWriter(path, options);
  }

  /** The number of the next event. */
  get next(): number {
    return this.#next;
  }

  /** Writes an event, and returns its number. */
  append(event: NewEvent): number {
    const { at = Date.now(), ...rest } = event;
    const n = this.#next;
    this.#assertInOrder(event);
    const whole = { n, at, ...rest, ...this.#added(event, at) } as RecordEvent;
    this.#file.write(`${JSON.stringify(toStoredEvent(whole, this.#storing))}\n`);
    this.#note(whole);
    return n;
  }

  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #note(event: { readonly n: number; readonly at: number; readonly type: string }): void {
    this.#tally.add(event);
    this.#startedAt ??= event.at;
    this.#next = event.n + 1;
    this.#hasEnded ||= event.type === 'end';
  }

  #assertInOrder({ type }: NewEvent): void {
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

function createFile(path: string): RecordFile {
  try {
    return RecordFile.create(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new RecordError(path, "exists. Choose another name, or go on with it: { existing: 'resume' }", { cause });
  }
}
