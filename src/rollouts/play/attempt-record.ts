import type { NewEvent, RecordWriter } from '../../records/index.ts';

/** The record of one attempt. What an agent says after the attempt has ended is dropped: its file may be another's by then. */
export class AttemptRecord implements Disposable {
  readonly #writer: RecordWriter;
  #isOver = false;

  constructor(writer: RecordWriter) {
    this.#writer = writer;
  }

  get isEmpty(): boolean {
    return this.#writer.next === 0;
  }

  /** Writes an event, and returns its number. */
  append(event: NewEvent): number {
    return this.#isOver ? this.#writer.next : this.#writer.append(event);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#writer.close();
  }
}
