const FIRST_BYTES = 2048;

const CLOSING_BRACE = 0x7d;
const LINE_BREAK = 0x0a;

/** Lines that wait to be written together, in one piece of memory. */
export class PendingLines {
  #bytes: Buffer | undefined;
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** Adds a text. */
  text(text: string): void {
    // As much as UTF-8 may take at most.
    const bytes = this.#roomFor(text.length * 3);
    this.#used += bytes.write(text, this.#used);
  }

  /** Adds a line of an object whose fields are in these bytes already, after those that `before` has. */
  line(before: string, fields: Buffer, start: number, end: number): void {
    const bytes = this.#roomFor(before.length * 3 + (end - start) + 2);
    let at = this.#used + bytes.write(before, this.#used);
    at += fields.copy(bytes, at, start, end);
    bytes[at] = CLOSING_BRACE;
    bytes[at + 1] = LINE_BREAK;
    this.#used = at + 2;
  }

  /** Gives all that was added, and is empty then. */
  take(): Buffer {
    const bytes = (this.#bytes ?? Buffer.alloc(0)).subarray(0, this.#used);
    // Not kept: there may be thousands of records of which little is written.
    this.#bytes = undefined;
    this.#used = 0;
    return bytes;
  }

  #roomFor(bytes: number): Buffer {
    const wanted = this.#used + bytes;
    if (this.#bytes === undefined) this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, wanted));
    if (wanted <= this.#bytes.length) return this.#bytes;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
    return larger;
  }
}
