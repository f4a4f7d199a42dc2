import type { NewEvent, RecordWriter } from '../../records/index.ts';

// How much of an unfinished attempt a kill may take at most. What is written together costs one write.
const COLLECT_MS = 100;

/**
 * The record of one attempt. Events are written together, soon after they happened, and all of them before `finish` returns. What an agent says
 * after that is dropped: the file may be another's by then.
 */
export class AttemptRecord implements Disposable {
  readonly #writer: RecordWriter;
  #timer: NodeJS.Timeout | undefined;
  /** What the disk did not take, while nobody waited for it. */
  #failure: { readonly thrown: unknown } | undefined;
  #isOver = false;

  constructor(writer: RecordWriter) {
    this.#writer = writer;
  }

  get isEmpty(): boolean {
    return this.#writer.next === 0;
  }

  /** Adds an event, and returns its number. */
  append(event: NewEvent): number {
    if (this.#isOver) return this.#writer.next;
    this.#assertWritten();
    this.#timer ??= setTimeout(() => this.#flushLater(), COLLECT_MS);
    return this.#writer.add(event);
  }

  /** Adds the last event; all of them are with the operating system when this returns, and survive a kill of this process. */
  finish(event: NewEvent): void {
    this.append(event);
    this[Symbol.dispose]();
    this.#assertWritten();
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    try {
      this.#writer.flush();
    } finally {
      this.#writer.close();
    }
  }

  #flushLater(): void {
    this.#timer = undefined;
    try {
      this.#writer.flush();
    } catch (thrown) {
      this.#failure = { thrown };
    }
  }

  #assertWritten(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
