import { AnswerTooLarge, type ErrorContext, TimedOut } from './errors.ts';
import { toDelay } from './timer.ts';

/** How much of an answer a client takes, so that no server can fill its memory or keep it for ever. */
export interface AnswerBounds {
  /** The most bytes of one answer, or of one stream, counted after decompression. Default: 128 MB. */
  readonly maxAnswerBytes?: number | undefined;
  /** The most time from the beginning of an answer to its end; a stream takes as long as its tool. Default: 5 minutes. */
  readonly answerMs?: number | undefined;
}

// More than the largest result that a server of ours sends unless it is told to: an image of 64 MB, in base64.
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

const ANSWER_MS = 5 * 60_000;

/** The bounds in force. */
export function toBounds({ maxAnswerBytes = MAX_ANSWER_BYTES, answerMs = ANSWER_MS }: AnswerBounds): Bounds {
  for (const [name, value] of Object.entries({ maxAnswerBytes, answerMs }))
    if (!(value > 0)) throw new RangeError(`${name} must be more than 0, not ${value}`);
  return { maxAnswerBytes, answerMs };
}

export type Bounds = { readonly [Key in keyof AnswerBounds]-?: number };

/** Counts the bytes of an answer, and throws when there are too many. */
export class ByteCount {
  readonly #most: number;
  readonly #context: ErrorContext;
  #count = 0;

  constructor(most: number, context: ErrorContext) {
    this.#most = most;
    this.#context = context;
  }

  add(bytes: number): void {
    this.#count += bytes;
    if (this.#count > this.#most)
      throw toTooLarge(`the answer has more than ${this.#most} bytes (maxAnswerBytes)`, this.#context);
  }
}

/** The error of an answer that is more than the client takes; `excess` says of what. */
export function toTooLarge(excess: string, context: ErrorContext): AnswerTooLarge {
  return new AnswerTooLarge(`${excess}, and is not read further`, context);
}

/** What cuts an answer short that does not end in time; dispose of it when it has ended. */
export function onLate(answerMs: number, context: ErrorContext, cut: (late: TimedOut) => void): Disposable {
  const timer = setTimeout(
    () => cut(new TimedOut(`the answer did not end within ${answerMs} ms of its beginning`, context)),
    toDelay(answerMs),
  );
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
