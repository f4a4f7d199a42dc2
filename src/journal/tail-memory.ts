import { Buffer } from 'node:buffer';

/** Room for bytes, from `at` on. */
export interface Room {
  readonly bytes: Buffer;
  readonly at: number;
}

const CHUNK_BYTES = 256 * 1024;

// As much as a busy second needs. A few large results or states need more, which is not kept for them.
const MOST_FREE = 32;

/**
 * The bytes of what was written to a tail, until the tables have it. They are outside the heap, in chunks that are used again: as objects of
 * their own, the collector would copy each of them twice, and then look for them in old memory.
 */
export class TailMemory {
  /** Of the tail that is written to. The last one has room. */
  #current: Buffer[] = [];
  /** Of the one that ended. */
  #ended: Buffer[] = [];
  readonly #free: Buffer[] = [];
  #used = 0;

  /** Room for so many bytes, which is taken only when it is used. */
  roomFor(length: number): Room {
    const last = this.#current.at(-1);
    if (last !== undefined && this.#used + length <= last.length) return { bytes: last, at: this.#used };
    const bytes = this.#chunk(length);
    this.#current.push(bytes);
    this.#used = 0;
    return { bytes, at: 0 };
  }

  /** The room that was given last is used up to there. */
  useUpTo(end: number): void {
    this.#used = end;
  }

  /** What comes next belongs to another tail. */
  endTail(): void {
    this.#ended = this.#current;
    this.#current = [];
  }

  /** Nobody reads what belongs to the tail that ended any more. */
  freeEnded(): void {
    for (const chunk of this.#ended)
      if (chunk.length === CHUNK_BYTES && this.#free.length < MOST_FREE) this.#free.push(chunk);
    this.#ended = [];
  }

  #chunk(length: number): Buffer {
    if (length > CHUNK_BYTES) return Buffer.allocUnsafeSlow(length);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }
}
