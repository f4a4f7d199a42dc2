import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fetch } from '../../client/index.ts';
import { REDACTION_ROOM, redactStart, redactWhole, type Secrets } from '../../core/index.ts';
import type { WireExchange } from '../api.ts';

// More than a person reads; the step itself has the whole result.
const MOST_CHARACTERS = 256 * 1024;
const MOST_EXCHANGES = 50;
const MASKED: ReadonlySet<string> = new Set(['x-api-key', 'oxp-api-key', 'authorization', 'x-secrets', 'cookie']);

type Exchange = { -readonly [Key in keyof WireExchange]: WireExchange[Key] };

/** What one step sent and received. */
export type StepLog = Exchange[];

/** Notes what a play sends and receives, and for which of its steps. */
export class WireLog {
  readonly #steps = new AsyncLocalStorage<StepLog>();
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Runs something whose requests belong to a step. */
  within<Value>(log: StepLog, run: () => Value): Value {
    return this.#steps.run(log, run);
  }

  /** A fetch that notes what it does; `onStatus` hears of requests that belong to no step. */
  fetch(onStatus: (path: string, status: number) => void): Fetch {
    return async (url, init) => {
      const log = this.#steps.getStore();
      if (log === undefined || log.length >= MOST_EXCHANGES) {
        const response = await fetch(url, init);
        onStatus(new URL(String(url)).pathname, response.status);
        return response;
      }
      return this.#noted(log, String(url), init ?? {});
    };
  }

  async #noted(log: StepLog, url: string, init: RequestInit): Promise<Response> {
    const started = performance.now();
    const exchange: Exchange = {
      at: Date.now(),
      ms: null,
      request: this.#toRequest(url, init),
      response: null,
      error: null,
    };
    log.push(exchange);
    const took = () => Math.round((performance.now() - started) * 1000) / 1000;
    try {
      const response = await fetch(url, init);
      const noted = new NotedText((text) => this.#toShown(text));
      exchange.response = noted.toResponse(response.status, this.#toHeaders(response.headers));
      return passOn(response, {
        piece: (bytes) => noted.add(bytes),
        end: (thrown) => {
          exchange.ms = took();
          if (thrown !== undefined) exchange.error = this.#clean(String(thrown));
        },
      });
    } catch (thrown) {
      exchange.ms = took();
      exchange.error = this.#clean(String(thrown));
      throw thrown;
    }
  }

  #toRequest(url: string, { method = 'GET', headers, body }: RequestInit): WireExchange['request'] {
    return {
      method,
      url: this.#clean(url),
      headers: this.#toHeaders(new Headers(headers)),
      body: typeof body === 'string' ? this.#toShown(body) : null,
    };
  }

  #toHeaders(headers: Headers): Record<string, string> {
    return Object.fromEntries(
      [...headers].map(([name, value]) => [name, MASKED.has(name) ? '[masked]' : this.#clean(value)]),
    );
  }

  // Cleaned before it is cut: half a secret would not be found.
  #toShown(body: string): string {
    return redactStart(body, MOST_CHARACTERS, this.#secrets);
  }

  #clean(text: string): string {
    return redactWhole(text, this.#secrets);
  }
}

/** The beginning of an answer's body, with as much behind it as it takes to clean it. */
class NotedText {
  readonly #toShown: (text: string) => string;
  readonly #decoder = new TextDecoder();
  #text = '';
  #length = 0;

  constructor(toShown: (text: string) => string) {
    this.#toShown = toShown;
  }

  add(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#text += text.slice(0, MOST_CHARACTERS + REDACTION_ROOM - this.#text.length);
    this.#length += text.length;
  }

  toResponse(status: number, headers: Record<string, string>): WireExchange['response'] {
    const text = () => this.#toShown(this.#text);
    const cut = () => Math.max(0, this.#length - MOST_CHARACTERS);
    return {
      status,
      headers,
      // Cleaned when somebody looks: to do so with each piece would take time by the square of their number.
      get body() {
        return text();
      },
      get cut() {
        return cut();
      },
    };
  }
}

interface BodyListener {
  piece(bytes: Uint8Array): void;
  /** Nothing more is read; with what was thrown, if it broke. */
  end(thrown?: unknown): void;
}

/** The same answer, whose body is heard while it is read. No copy of it: that would be read on after the reader has stopped. */
function passOn(response: Response, listener: BodyListener): Response {
  const { body, status, statusText, headers } = response;
  // No answer with such a status can be made.
  if (body === null || status > 599) {
    listener.end();
    return response;
  }
  const reader = body.getReader();
  const heard = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            listener.piece(value);
            return controller.enqueue(value);
          }
          listener.end();
          controller.close();
        } catch (thrown) {
          listener.end(thrown);
          throw thrown;
        }
      },
      cancel(reason) {
        listener.end();
        return reader.cancel(reason);
      },
    },
    // Nothing is read before it is wanted.
    { highWaterMark: 0 },
  );
  return new Response(heard, { status, statusText, headers });
}
