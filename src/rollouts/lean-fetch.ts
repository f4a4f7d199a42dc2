import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Fetch } from '../client/index.ts';

/** A fetch with its connections, which dispose of themselves when it is. */
export interface LeanFetch extends Disposable {
  readonly fetch: Fetch;
}

/**
 * As much of fetch as the client and models use, over node:http: the platform's costs three times as much processor time, and a run
 * with a fast agent does nothing else; and it gives up on a model that thinks for more than five minutes. It follows no redirect.
 */
export function leanFetch(): LeanFetch {
  const agents = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) };
  const fetch: Fetch = (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sent = { method, headers: Object.fromEntries(headers as Headers) };
      const request = url.startsWith('https:')
        ? requestHttps(url, { ...sent, agent: agents.https })
        : requestHttp(url, { ...sent, agent: agents.http });
      const onAbort = () => request.destroy(toError(signal?.reason));
      signal?.addEventListener('abort', onAbort);
      request.on('response', (message) => resolve(new LeanResponse(message) as unknown as Response));
      request.on('error', reject);
      request.on('close', () => signal?.removeEventListener('abort', onAbort));
      request.end(typeof body === 'string' ? body : undefined);
    });
  return {
    fetch,
    [Symbol.dispose]() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The part of a Response that the client reads. */
class LeanResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly type = 'basic';
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): LeanReader };

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.statusText = message.statusMessage ?? '';
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = {
      get(name) {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    };
    // At once: what arrives before somebody reads must not be lost.
    const reader = new LeanReader(message);
    this.body = { getReader: () => reader };
  }

  async text(): Promise<string> {
    const reader = this.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += decoder.decode(read.value, { stream: true });
    return text + decoder.decode();
  }
}

type Read = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined };

// More than this waits in the socket until it is read.
const MOST_CHUNKS = 16;

/** Reads an answer chunk by chunk. */
class LeanReader {
  readonly #message: IncomingMessage;
  readonly #chunks: Uint8Array[] = [];
  #end: 'open' | 'done' | Error = 'open';
  #wake: (() => void) | undefined;

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.on('data', (chunk: Uint8Array) => {
      if (this.#chunks.push(chunk) >= MOST_CHUNKS) message.pause();
      this.#wake?.();
    });
    message.on('end', () => this.#over('done'));
    message.on('error', (error) => this.#over(error));
    message.on('close', () => {
      if (this.#end === 'open') this.#over(new Error('the connection was closed before the end of the answer'));
    });
  }

  async read(): Promise<Read> {
    while (this.#chunks.length === 0 && this.#end === 'open')
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const value = this.#chunks.shift();
    if (value !== undefined) {
      if (this.#chunks.length < MOST_CHUNKS) this.#message.resume();
      return { done: false, value };
    }
    if (this.#end instanceof Error) throw this.#end;
    return { done: true, value: undefined };
  }

  async cancel(): Promise<void> {
    // A connection whose answer was read to its end is used again.
    if (this.#end === 'open') this.#message.destroy();
  }

  #over(end: 'done' | Error): void {
    if (this.#end !== 'open') return;
    this.#end = end;
    this.#wake?.();
  }
}
