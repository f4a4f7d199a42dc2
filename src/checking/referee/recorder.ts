import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isObject } from '../../protocol/index.ts';

/** A request as a probe sends it; nothing is added but what HTTP itself needs, and the key. */
export interface Ask {
  readonly method: string;
  /** Below the server's URL, from the first slash on; empty: the URL itself, with its parameters. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON if it is not text; text is sent as it is, with the headers given. */
  readonly body?: unknown;
  /** Sent as well, and not recorded: what must be in no report. */
  readonly unrecorded?: {
    readonly headers: Readonly<Record<string, string>>;
    /** Keys of a body that is an object. */
    readonly body: Readonly<Record<string, unknown>>;
  };
  /** Give up after this long. Default: the recorder's. */
  readonly timeoutMs?: number;
  /** Sees the body as it arrives, all of it so far; may cut the connection, and then has what came as the answer. */
  readonly watch?: (received: string) => 'cut' | undefined;
  /** Gives up early. */
  readonly signal?: AbortSignal;
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
  /** With an error beside it, as far as it came. */
  readonly answer?: Answer;
  /** Why there is no answer, or no whole one. */
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

  /** Rejects only if there is no whole answer. */
  async ask(ask: Ask): Promise<Answer> {
    const sending = new Sending(ask, this.#options);
    const { unrecorded: _hidden, ...request } = ask;
    try {
      const answer = await sending.answer;
      this.exchanges.push({ request, answer });
      return answer;
    } catch (thrown) {
      const { partial } = sending;
      const error = (thrown as Error).message;
      this.exchanges.push({ request, ...(partial === undefined ? {} : { answer: partial }), error });
      throw thrown;
    }
  }
}

// What a server sends to a small question of a probe is far less; a hostile one would fill the memory.
const MAX_ANSWER = 16 * 1024 * 1024;

/** One request on its way. Not fetch: that refuses some of the requests that a server must be able to refuse itself. */
class Sending {
  readonly answer: Promise<Answer>;
  /** What has come so far. */
  partial: Answer | undefined;

  constructor(ask: Ask, options: RecorderOptions) {
    const limitMs = ask.timeoutMs ?? options.timeoutMs;
    const own = ask.signal === undefined ? [] : [ask.signal];
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limitMs), ...own]);
    const request = toRequest(ask, { ...options, signal });
    this.answer = new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(signal.aborted ? this.#lateness(limitMs) : error);
      request.on('error', fail);
      request.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        this.partial = { status, headers, text: '' };
        response.setEncoding('utf8');
        response.on('error', fail);
        response.on('data', (chunk: string) => {
          this.partial = { status, headers, text: this.partial?.text + chunk };
          if (this.partial.text.length > MAX_ANSWER) {
            reject(new Error(`the answer has more than ${MAX_ANSWER} characters, and is not read further`));
            request.destroy();
            return;
          }
          if (ask.watch?.(this.partial.text) !== 'cut') return;
          resolve(this.partial);
          request.destroy();
        });
        response.on('end', () => resolve(this.partial as Answer));
      });
    });
  }

  #lateness(limitMs: number): Error {
    return new Error(`no ${this.partial === undefined ? '' : 'end of the '}answer within ${limitMs} ms`);
  }
}

function toRequest({ method, path, headers, unrecorded, ...ask }: Ask, options: RecorderOptions): ClientRequest {
  const base = new URL(options.url);
  const body = isObject(ask.body) ? { ...ask.body, ...unrecorded?.body } : ask.body;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const isJson = body !== undefined && typeof body !== 'string';
  const request = (base.protocol === 'https:' ? httpsRequest : httpRequest)(base, {
    method,
    path: base.pathname.replace(/\/+$/, '') + (path === '' ? base.search : path),
    // A connection each: one that the server closes at the wrong moment would look like a failed probe.
    agent: false,
    headers: {
      ...options.headers,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
      ...unrecorded?.headers,
      ...headers,
    },
    signal: options.signal,
  });
  request.end(text);
  return request;
}
