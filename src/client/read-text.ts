import { type Bounds, ByteCount, onLate } from './answer-bounds.ts';
import type { ErrorContext, TimedOut } from './errors.ts';
import { toNetworkError } from './network-error.ts';

/** How an answer is read. */
export interface ReadTextOptions {
  readonly bounds: Bounds;
  readonly sid?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads an answer to its end, or until it is more than the client takes. */
export async function readText(response: Response, options: ReadTextOptions): Promise<string> {
  const { bounds, sid } = options;
  const context = { sid, status: response.status };
  const count = new ByteCount(bounds.maxAnswerBytes, context);
  const parts: string[] = [];
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response, options, context)) {
    count.add(bytes.length);
    parts.push(decoder.decode(bytes, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** The beginning of an answer of which no more is needed; whatever comes after that is left. */
export async function readStart(response: Response, options: ReadTextOptions, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = mostBytes;
  for await (const bytes of bytesOf(response, options, { sid: options.sid, status: response.status })) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
    if (left <= 0) break;
  }
  return text;
}

async function* bytesOf(
  { body }: Response,
  { bounds, sid, signal }: ReadTextOptions,
  context: ErrorContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  let late: TimedOut | undefined;
  using _timer = onLate(bounds.answerMs, context, (error) => {
    late = error;
    void reader.cancel().catch(ignore);
  });
  try {
    for (;;) {
      const { done, value } = await read(reader, { sid, signal });
      if (late !== undefined) throw late;
      if (done) return;
      yield value;
    }
  } finally {
    // Also when nobody wants the rest: it would hold the connection.
    void reader.cancel().catch(ignore);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

async function read(reader: Reader, { sid, signal }: Pick<ReadTextOptions, 'sid' | 'signal'>) {
  try {
    return await reader.read();
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason;
    throw toNetworkError(thrown, { sid });
  }
}

function ignore(): void {}
