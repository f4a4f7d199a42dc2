import type { Appender, NewEvent, RecordWriter } from '../../records/index.ts';

// How much of an unfinished attempt a kill may take at most. What is written together costs one write.
const COLLECT_MS = 100;

/**
 * The record of one attempt. Events are written together, soon after they happened, and all of them before `finish` resolves. What an agent says
 * after that is dropped: the file may be another's by then.
 */
export class AttemptRecord implements AsyncDisposable {
  readonly #writer: RecordWriter;
  readonly #appender: Appender;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** What the disk did not take. */
  #failure: { readonly thrown: unknown } | undefined;
  #isOver = false;

  constructor(writer: RecordWriter, appender: Appender) {
    this.#writer = writer;
    this.#appender = appender;
  }

  get isEmpty(): boolean {
    return this.#writer.next === 0;
  }

  /** Adds an event, and returns its number. */
  append(event: NewEvent): number {
    if (this.#isOver) return this.#writer.next;
    this.#assertWritten();
    this.#timer ??= setTimeout(() => void this.#write(), COLLECT_MS);
    return this.#writer.add(event);
  }

  /** Adds the last event. All are with the operating system when this resolves, and survive a kill of this process. */
  async finish(event: NewEvent): Promise<void> {
    this.append(event);
    await this[Symbol.asyncDispose]();
    this.#assertWritten();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#write();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writeAfter(this.#writing);
    await this.#writing;
  }

  async #writeAfter(before: Promise<void>): Promise<void> {
    await before;
    if (this.#failure !== undefined) return;
    try {
      await this.#writer.flushLater(this.#appender);
    } catch (thrown) {
      this.#failure = { thrown };
    }
  }

  #assertWritten(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
