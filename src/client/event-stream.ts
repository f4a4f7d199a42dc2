import { createParser } from 'eventsource-parser';
import { ByteCount } from './answer-bounds.ts';
import { NetworkError } from './errors.ts';
import { toNetworkError } from './network-error.ts';
import type { Silence } from './silence.ts';
import { unref } from './timer.ts';
import { Utf8Pieces } from './utf8.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** How a stream is read. */
export interface ReadOptions {
  readonly sid?: string | undefined;
  /** Watches the request whose answer this is. */
  readonly silence: Silence;
  readonly onComment?: (comment: string) => void;
  /** The most that is read of it, comments and all. */
  readonly maxBytes: number;
}

// A stream ends with its result. One that goes on is not waited for: it would hold the connection.
const DRAIN_MS = 1_000;

/**
 * Reads events until `onEvent` returns something, which is the result. A stream that ends before, breaks, or falls
 * silent is a NetworkError.
 */
export async function readEventStream<Result>(
  response: Response,
  onEvent: (event: StreamEvent) => Result | undefined,
  { sid, silence, onComment, maxBytes }: ReadOptions,
): Promise<Result> {
  if (response.body === null) throw new NetworkError('the answer has no body', { sid });
  const reader = response.body.getReader();
  const count = new ByteCount(maxBytes, { sid, status: response.status });
  let result: Result | undefined;
  const lines = new Lines((event) => {
    result ??= onEvent(event);
  }, onComment);
  try {
    for (;;) {
      silence.heard();
      const { done, value } = await read(reader, { sid, silence });
      if (done) lines.end();
      else {
        count.add(value.length);
        lines.feed(value);
      }
      if (result !== undefined) break;
      if (done) {
        const { heldMs } = silence;
        throw new NetworkError('the connection failed: the stream ended before the result', { sid, heldMs });
      }
    }
  } catch (thrown) {
    void reader.cancel().catch(ignore);
    throw thrown;
  }
  // Read to its end in the background, so that the connection can be used again.
  void drain(reader);
  return result;
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

async function read(
  reader: Reader,
  { sid, silence }: Pick<ReadOptions, 'sid' | 'silence'>,
): ReturnType<Reader['read']> {
  try {
    return await reader.read();
  } catch (thrown) {
    silence.end.throwIfAborted();
    throw toNetworkError(thrown, { sid, heldMs: silence.heldMs });
  }
}

async function drain(reader: Reader): Promise<void> {
  const timer = unref(setTimeout(() => void reader.cancel().catch(ignore), DRAIN_MS));
  try {
    while (!(await reader.read()).done);
  } catch {
    // The result is already there.
  } finally {
    clearTimeout(timer);
  }
}

function ignore(): void {}

/** Bytes in, events out, however the bytes are cut. */
class Lines {
  readonly #pieces = new Utf8Pieces();
  readonly #parser: ReturnType<typeof createParser>;
  #last = '';

  constructor(onEvent: (event: StreamEvent) => void, onComment: (comment: string) => void = () => {}) {
    this.#parser = createParser({ onEvent: ({ event = 'message', data }) => onEvent({ event, data }), onComment });
  }

  feed(bytes: Uint8Array): void {
    const text = this.#pieces.decode(bytes);
    if (text === '') return;
    this.#last = text.at(-1) ?? '';
    this.#parser.feed(text);
  }

  /** A line that ends with CR is held back, as LF may follow; at the end of a stream none does. */
  end(): void {
    if (this.#last === '\r') this.#parser.feed('\n');
  }
}
