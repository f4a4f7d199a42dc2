import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A request as a probe sends it; nothing is added but what HTTP itself needs, and the key. */
export interface Ask {
  readonly method: string;
  /** Below the server's URL, from the first slash on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON if it is not text; text is sent as it is, with the headers given. */
  readonly body?: unknown;
  /** Give up after this long. Default: the recorder's. */
  readonly timeoutMs?: number;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request with what came of it. */
export interface Exchange {
  readonly request: Ask;
  readonly answer?: Answer;
  /** Why there is no answer. */
  readonly error?: string;
}

/** How to reach the server. */
export interface RecorderOptions {
  readonly url: string;
  /** Headers of every request, for a server that wants a key. They are not recorded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends requests of any shape, also wrong ones, and keeps what was sent and received. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Rejects only if there is no answer at all. */
  async ask(ask: Ask): Promise<Answer> {
    try {
      const answer = await send(ask, this.#options);
      this.exchanges.push({ request: ask, answer });
      return answer;
    } catch (thrown) {
      this.exchanges.push({ request: ask, error: (thrown as Error).message });
      throw thrown;
    }
  }
}

// Not fetch: that refuses some of the requests that a server must be able to refuse itself.
function send({ method, path, headers = {}, body, timeoutMs }: Ask, options: RecorderOptions): Promise<Answer> {
  const target = new URL(options.url.replace(/\/+$/, '') + path);
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const isJson = body !== undefined && typeof body !== 'string';
  const limitMs = timeoutMs ?? options.timeoutMs;
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
      method,
      path: target.pathname === path ? path : undefined,
      headers: {
        ...options.headers,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(limitMs)]),
    });
    request.on('error', (error) =>
      reject(error.name === 'AbortError' ? new Error(`no answer within ${limitMs} ms`) : error),
    );
    request.on('response', (response) => {
      let received = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        received += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
      );
    });
    request.end(text);
  });
}
