import { type Bounds, ByteCount, onLate } from './answer-bounds.ts';
import type { Stop } from './end.ts';
import type { TimedOut } from './errors.ts';
import { toNetworkError } from './network-error.ts';

/** How an answer is read. */
export interface ReadTextOptions {
  readonly bounds: Bounds;
  readonly sid?: string | undefined;
  readonly signal?: Stop | undefined;
}

// Only ever with whole texts: one that has decoded a part is slow for good.
const DECODER = new TextDecoder();

/** Reads an answer to its end, or until it is more than the client takes. */
export async function readText(response: Response, options: ReadTextOptions): Promise<string> {
  const context = { sid: options.sid, status: response.status };
  const count = new ByteCount(options.bounds.maxAnswerBytes, context);
  const chunks: Uint8Array[] = [];
  await readBytes(response, options, (bytes) => {
    count.add(bytes.length);
    chunks.push(bytes);
    return 'more';
  });
  return DECODER.decode(join(chunks));
}

/** The beginning of an answer of which no more is needed; whatever comes after that is left. */
export async function readStart(response: Response, options: ReadTextOptions, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = mostBytes;
  await readBytes(response, options, (bytes) => {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
    return left > 0 ? 'more' : 'enough';
  });
  return text;
}

async function readBytes(
  { body, status }: Response,
  { bounds, sid, signal }: ReadTextOptions,
  take: (bytes: Uint8Array) => 'more' | 'enough',
): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  let late: TimedOut | undefined;
  using _timer = onLate(bounds.answerMs, { sid, status }, (error) => {
    late = error;
    void reader.cancel().catch(ignore);
  });
  let isDone = false;
  try {
    for (let wanted = 'more'; wanted === 'more'; ) {
      const { done, value } = await read(reader, { sid, signal });
      if (late !== undefined) throw late;
      isDone = done;
      if (done) return;
      wanted = take(value);
    }
  } finally {
    // Also when nobody wants the rest: it would hold the connection.
    if (!isDone) void reader.cancel().catch(ignore);
  }
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
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
