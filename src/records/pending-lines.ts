const FIRST_BYTES = 2048;

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

  /** Adds a part of some bytes. */
  bytes(source: Buffer, start: number, end: number): void {
    const bytes = this.#roomFor(end - start);
    this.#used += source.copy(bytes, this.#used, start, end);
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
