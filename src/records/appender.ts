import { appendFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startThread, toError } from '../core/index.ts';
import { PRIVATE_FILE } from './blobs.ts';

/** Writes to files while others go on. */
export interface Appender {
  /** Adds bytes at the end of a file. One that is `new` is made, and must not exist. */
  append(path: string, bytes: Uint8Array, file: 'new' | 'known'): Promise<void>;
}

/** What is to be written, and who waits for it. */
interface Waiting {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isNew: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What the thread is sent: files, and the bytes for all of them in one piece, which is handed over and not copied. */
export interface AppendOrder {
  readonly files: readonly { readonly path: string; readonly isNew: boolean; readonly length: number }[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What it answers: for each file, what the disk said if it did not take the bytes. */
export type AppendReport = readonly (AppendFailure | undefined)[];

/** Why bytes could not be written. */
export interface AppendFailure {
  readonly message: string;
  readonly code: string | undefined;
}

// To start a thread takes as long as Node's own threads need for so many.
const WORTH_A_THREAD = 100;

/**
 * Lets a thread write, if there is enough to write. While it does, what comes meanwhile is collected: a slow disk gets fewer and larger orders, and nobody waits for it who has
 * something else to do. Node's own threads would be woken three times for each file, which takes longer than writing it.
 */
export class ThreadAppender implements Appender, Disposable {
  #thread: Worker | undefined;
  #waiting: Waiting[] = [];
  /** What the thread has. */
  #sent: Waiting[] = [];
  #isPlanned = false;
  /** How many more are left to Node's own threads. */
  #left: number;
  /** Why nothing more can be written. */
  #over: Error | undefined;

  /** The first ones are left to Node's own threads. */
  constructor(first: number = WORTH_A_THREAD) {
    this.#left = first;
  }

  append(path: string, bytes: Uint8Array, file: 'new' | 'known'): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    if (this.#left > 0) {
      this.#left -= 1;
      return appendFile(path, bytes, { mode: PRIVATE_FILE, flag: file === 'new' ? 'ax' : 'a' });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ path, bytes, isNew: file === 'new', resolve, reject });
      if (this.#isPlanned || this.#sent.length > 0) return;
      // Those that end in the same turn go together.
      this.#isPlanned = true;
      setImmediate(() => this.#send());
    });
  }

  [Symbol.dispose](): void {
    this.#fail(new Error('nothing more is written: the files were closed'));
    void this.#thread?.terminate();
  }

  #send(): void {
    this.#isPlanned = false;
    if (this.#waiting.length === 0) return this.#thread?.unref();
    this.#sent = this.#waiting;
    this.#waiting = [];
    try {
      this.#order(this.#sent);
    } catch (thrown) {
      // A process may have no permission, or no room, for another thread. Nobody else would hear of it, as this runs in a turn of its own.
      this.#fail(toError(thrown));
    }
  }

  #order(sent: readonly Waiting[]): void {
    const files = sent.map(({ path, isNew, bytes: { length } }) => ({ path, isNew, length }));
    const bytes = join(sent);
    this.#thread ??= this.#start();
    // The process must not end before it has answered.
    this.#thread.ref();
    this.#thread.postMessage({ files, bytes } satisfies AppendOrder, [bytes.buffer]);
  }

  #start(): Worker {
    const thread = startThread(import.meta.url, 'appender-thread', undefined);
    thread.on('message', (report: AppendReport) => this.#heard(report));
    thread.on('error', (error) => this.#fail(error));
    return thread;
  }

  #heard(report: AppendReport): void {
    const sent = this.#sent;
    this.#sent = [];
    for (const [index, { resolve, reject }] of sent.entries()) {
      const failure = report[index];
      if (failure === undefined) resolve();
      else reject(Object.assign(new Error(failure.message), { code: failure.code }));
    }
    this.#send();
  }

  #fail(error: Error): void {
    this.#over ??= error;
    const all = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    this.#waiting = [];
    for (const { reject } of all) reject(error);
  }
}

function join(waiting: readonly Waiting[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(waiting.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of waiting) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  return joined;
}
