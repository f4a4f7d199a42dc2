const NEWLINE = 0x0a;

/** Splits bytes into lines, however they come in pieces. Only \n ends a line: JSON may hold every other line break. */
export class LineSplitter {
  #pieces: Buffer[] = [];

  /** The lines that end in these bytes. */
  *push(bytes: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      const end = bytes.subarray(from, at);
      yield this.#pieces.length === 0 ? end : Buffer.concat([...this.#pieces, end]);
      this.#pieces = [];
      from = at + 1;
    }
    // A copy: the caller may use its memory again.
    if (from < bytes.length) this.#pieces.push(Buffer.from(bytes.subarray(from)));
  }

  /** What stands behind the last line break. */
  get rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
