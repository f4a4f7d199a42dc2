import { mostBytes } from '../../protocol/index.ts';
import type { Entry, Kind } from './messages.ts';

const KINDS: readonly Kind[] = ['open', 'prompt', 'call', 'result', 'note', 'end', 'suspend'];

// Of each entry: five numbers, and how many bytes its text has.
const NUMBER_BYTES = 8;
const HEADER_BYTES = 6 * NUMBER_BYTES;

// A little more than a batch has when it is sent, so that it need not grow; the system gives only what is used.
const USUAL_BYTES = 1280 * 1024;

/**
 * Entries on their way to the thread, as bytes that are handed over and not copied. As texts, they would be trees of all the pieces they
 * were made from, which the garbage collector would copy while they wait.
 */
export class Batch {
  #bytes: Buffer = Buffer.allocUnsafeSlow(USUAL_BYTES);
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get size(): number {
    return this.#used;
  }

  /** Adds an entry. */
  push({ kind, session, at, call, reward, text }: Entry): void {
    this.#makeRoom(HEADER_BYTES + mostBytes(text));
    const start = this.#used + HEADER_BYTES;
    const length = this.#bytes.write(text, start);
    let place = this.#used;
    for (const number of [KINDS.indexOf(kind), session, at, call, reward, length])
      place = this.#bytes.writeDoubleLE(number, place);
    this.#used = start + length;
  }

  /** Gives the bytes away; the batch is empty then. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer as ArrayBuffer, 0, this.#used);
    this.#bytes = Buffer.allocUnsafeSlow(USUAL_BYTES);
    this.#used = 0;
    return bytes;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#used + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** The entries of a batch. */
export function* entriesOf(batch: Uint8Array): Generator<Entry> {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const number = (index: number) => bytes.readDoubleLE(at + index * NUMBER_BYTES);
    const start = at + HEADER_BYTES;
    const end = start + number(5);
    yield {
      kind: KINDS[number(0)] as Kind,
      session: number(1),
      at: number(2),
      call: number(3),
      reward: number(4),
      text: bytes.toString('utf8', start, end),
    };
    at = end;
  }
}
