// A chunk takes some hundred bytes besides what is in it.
const MAX_SMALL = 256;

/**
 * A body as it comes. A client can send it byte by byte, and each of them would be a buffer of its own, a hundred times as
 * large as what was counted; so chunks are put together before there are many.
 */
export class BodyChunks {
  #chunks: Buffer[] = [];
  /** How many at the end are as they came. */
  #recent = 0;

  /** Those that have come so far. */
  static of(body: Buffer | BodyChunks): BodyChunks {
    return body instanceof BodyChunks ? body : new BodyChunks().add(body);
  }

  add(chunk: Buffer): this {
    this.#chunks.push(chunk);
    this.#recent += 1;
    if (this.#recent < MAX_SMALL) return this;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-MAX_SMALL)));
    this.#recent = 0;
    return this;
  }

  toString(): string {
    const [first] = this.#chunks;
    return (first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)).toString();
  }

  clear(): void {
    this.#chunks = [];
    this.#recent = 0;
  }
}
