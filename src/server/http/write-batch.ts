import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { CallEnding } from '../../sessions/index.ts';

/**
 * Collects answers and gives them out together at the end of the event loop's turn. Writing from inside the callback
 * that parsed a request costs half the throughput: the loop then alternates between reading and writing.
 */
export class WriteBatch {
  readonly #onError: (thrown: unknown) => void;
  readonly #queue: (() => void)[] = [];
  /** How many answers this turn has had, and whether the last one had no more than one. */
  #count = 0;
  #isQuiet = true;

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs work at the end of this turn, in order. */
  defer(work: () => void): void {
    this.#begin();
    this.#queue.push(work);
  }

  /** Runs work at once as long as there is one answer a turn, since nothing is gained then by waiting for the end of it. */
  soon(work: () => void): void {
    this.#begin();
    if (this.#isQuiet && this.#count === 1) this.#run(work);
    else this.#queue.push(work);
  }

  /** Resolves at the end of this turn. */
  end(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  #begin(): void {
    this.#count += 1;
    if (this.#count === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isQuiet = this.#count <= 1;
    this.#count = 0;
    // Work that comes of this work belongs to the next turn.
    for (const work of this.#queue.splice(0)) this.#run(work);
  };

  #run(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      // One answer that cannot be written must not take the others of its turn along.
      this.#onError(thrown);
    }
  }
}

/** A longer text goes out in pieces, so that a client that does not read it holds one text, and no copies of it. */
export const LARGE_CHARACTERS: number = 64 * 1024;

/** Whether a result is so large that it does not wait for the end of the turn: what waits there is not counted. */
export function isLarge(ending: CallEnding): boolean {
  return ending.kind === 'returned' && ending.json.length > LARGE_CHARACTERS;
}

/** Headers of an answer: names in lower case and values in turns, a form in which Node takes them as they are. */
export type HeaderList = OutgoingHttpHeader[];

/** Where an answer goes. */
export interface AnswerTarget {
  readonly response: ServerResponse;
  /** Begins the answer, with these headers and those that all answers have; from now on it is written to the response. */
  open(status: number, headers: Readonly<HeaderList>): void;
}

/**
 * Writes an answer whose whole body is there. Not by `end(body)`, which hands the system two pieces, one of them empty: a single
 * one makes the server a tenth faster.
 */
export function writeWhole(target: AnswerTarget, status: number, headers: Readonly<HeaderList>, body: string): void {
  const { response } = target;
  const bytes = Buffer.byteLength(body);
  target.open(status, [...headers, 'content-length', bytes]);
  // What has as many bytes as characters is ASCII, which is copied as it is, and not encoded character by character.
  response.write(body, bytes === body.length ? 'latin1' : 'utf8');
  process.nextTick(() => response.end());
}
