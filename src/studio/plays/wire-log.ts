import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fetch } from '../../client/index.ts';
import { redactWhole, type Secrets } from '../../core/index.ts';
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
      const { status } = response;
      exchange.response = { status, headers: this.#toHeaders(response.headers), body: '', cut: 0 };
      void this.#read(response.clone(), exchange).finally(() => {
        exchange.ms = took();
      });
      return response;
    } catch (thrown) {
      exchange.ms = took();
      exchange.error = this.#clean(String(thrown));
      throw thrown;
    }
  }

  /** Reads a copy of an answer while the client reads the other. */
  async #read(copy: Response, exchange: Exchange): Promise<void> {
    let body = '';
    let cut = 0;
    const note = () => {
      if (exchange.response !== null) exchange.response = { ...exchange.response, body: this.#clean(body), cut };
    };
    try {
      const decoder = new TextDecoder();
      for await (const bytes of copy.body ?? []) {
        const text = decoder.decode(bytes as Uint8Array, { stream: true });
        const room = MOST_CHARACTERS - body.length;
        body += text.slice(0, room);
        cut += Math.max(0, text.length - room);
        note();
      }
    } catch (thrown) {
      exchange.error = this.#clean(String(thrown));
    }
  }

  #toRequest(url: string, { method = 'GET', headers, body }: RequestInit): WireExchange['request'] {
    return {
      method,
      url: this.#clean(url),
      headers: this.#toHeaders(new Headers(headers)),
      body: typeof body === 'string' ? this.#clean(body.slice(0, MOST_CHARACTERS)) : null,
    };
  }

  #toHeaders(headers: Headers): Record<string, string> {
    return Object.fromEntries(
      [...headers].map(([name, value]) => [name, MASKED.has(name) ? '[masked]' : this.#clean(value)]),
    );
  }

  #clean(text: string): string {
    return redactWhole(text, this.#secrets);
  }
}
