import { type EventHead, MOST_HEAD_BYTES, writeHead } from './event-head.ts';

const FIRST_BYTES = 2048;

// More is not kept for lines to come.
const MOST_KEPT_BYTES = 2 ** 20;

const CLOSING_BRACE = 0x7d;
const LINE_BREAK = 0x0a;

const NOTHING = Buffer.alloc(0);

/** JsonFields of an event in JSON, without the braces: `"tool":"submit","input":{}`. */
export interface JsonFields {
  /** What holds them, in UTF-8. */
  readonly bytes: Buffer;
  /** Where they begin and end in it. */
  readonly start: number;
  readonly end: number;
}

/** Lines that wait to be written together, in one piece of memory. Writers may share one if each is flushed before the next takes an event. */
export class PendingLines {
  #bytes: Buffer = NOTHING;
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** Adds a text. */
  text(text: string): void {
    // As much as UTF-8 may take at most.
    this.#makeRoom(text.length * 3);
    this.#used += this.#bytes.write(text, this.#used);
  }

  /** Adds the line of an event whose other fields are bytes already. */
  event(n: number, event: EventHead & JsonFields): void {
    const { bytes: fields, start, end } = event;
    this.#makeRoom(MOST_HEAD_BYTES + (end - start) + 2);
    const bytes = this.#bytes;
    let at = writeHead(bytes, this.#used, n, event);
    at += fields.copy(bytes, at, start, end);
    bytes[at] = CLOSING_BRACE;
    bytes[at + 1] = LINE_BREAK;
    this.#used = at + 2;
  }

  /** All that was added. */
  get waiting(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  /** Forgets what was added, and uses its memory again. */
  clear(): void {
    this.#used = 0;
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = NOTHING;
  }

  /** Gives all that was added away, with its memory, and is empty then. */
  take(): Buffer {
    const { waiting } = this;
    this.#bytes = NOTHING;
    this.#used = 0;
    return waiting;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#used + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
