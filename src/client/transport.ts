import { context, propagation } from '@opentelemetry/api';
import { INSTANCE_HEADER, type JsonValue, SESSION_HEADER } from '../protocol/index.ts';
import { type AnswerBounds, type Bounds, toBounds } from './answer-bounds.ts';
import { End, type Stop } from './end.ts';
import { toOrsError } from './error-answer.ts';
import { ClientError } from './errors.ts';
import { OtherInstance } from './instance.ts';
import { toNetworkError } from './network-error.ts';
import { toShort } from './quote.ts';
import { readStart, readText } from './read-text.ts';
import type { Answer, ErrorAnswer, WireRequest } from './wire.ts';

/** The fetch that the client uses: the platform's, unless another is given. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How to reach a server. */
export interface TransportOptions {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: Fetch | undefined;
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What an error status means. Default: what it means in ORS. */
  readonly toError?: ((answer: ErrorAnswer, request: WireRequest) => Error) | undefined;
  /** How much of an answer is taken. */
  readonly bounds?: AnswerBounds | undefined;
}

const MAX_REDIRECTS = 5;

const MAX_ERROR_BYTES = 1024 * 1024;

/** Sends one request, once. Statuses that are errors are thrown, as the class that says what to do. */
export class Transport {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #headers: Record<string, string>;
  /** What all requests have of them, ready to be sent. */
  #common: Readonly<Record<string, string>> | undefined;
  readonly #toError: NonNullable<TransportOptions['toError']>;
  /** How much of an answer is taken. */
  readonly bounds: Bounds;

  constructor(options: TransportOptions) {
    const { url, apiKey, fetch = globalThis.fetch, headers = {}, toError = toOrsError, bounds = {} } = options;
    this.bounds = toBounds(bounds);
    this.#base = toBase(url);
    this.#fetch = (target, init) => fetch(target, init);
    this.#toError = toError;
    this.#headers = { ...headers, ...(apiKey ? { 'X-API-Key': apiKey } : {}) };
  }

  /** Sends a request and reads the whole answer: what is left unread would hold the connection. */
  async ask(request: WireRequest): Promise<Answer> {
    const response = await this.send(request);
    return { headers: response.headers, text: await this.readText(response, request) };
  }

  /** Reads an answer to its end. */
  readText(response: Response, { sid, signal }: Pick<WireRequest, 'sid' | 'signal'>): Promise<string> {
    return readText(response, { bounds: this.bounds, sid, signal });
  }

  /** Sends a request and gives the answer as it begins. */
  async send(request: WireRequest): Promise<Response> {
    const response = await this.#follow(request);
    request.hearer?.hear(response);
    await this.#assertInstance(response, request);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    throw this.#toError({ status, statusText, headers, text: await this.#readStart(response, request) }, request);
  }

  // Whatever the status: a server that names another instance has refused to answer for the one that was asked.
  async #assertInstance(response: Response, request: WireRequest): Promise<void> {
    const answering = response.headers.get(INSTANCE_HEADER);
    if (request.instance === undefined || answering === null || answering === request.instance) return;
    await this.#readStart(response, request);
    throw new OtherInstance(answering, { sid: request.sid, status: response.status });
  }

  // Of an error or a redirect, whose status says more than its body; that may be anything, also without an end.
  #readStart(response: Response, { sid, signal }: WireRequest): Promise<string> {
    return readStart(response, { bounds: this.bounds, sid, signal }, MAX_ERROR_BYTES);
  }

  // By hand: the platform would carry the API key and the secrets along to another origin.
  async #follow(request: WireRequest): Promise<Response> {
    let url = this.#base + request.path;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(url, request, 'manual');
      if (response.type === 'opaqueredirect') return this.#send(url, request, 'follow'); // a browser hides the target
      const target = isRedirect(response.status) ? response.headers.get('location') : null;
      if (target === null || redirects === MAX_REDIRECTS) return response;
      const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
      if (next !== undefined && next.origin !== new URL(url).origin) return response;
      await this.#readStart(response, request);
      if (next === undefined) throw toAstray(response.status, target, request);
      url = next.href;
    }
  }

  async #send(url: string, request: WireRequest, redirect: RequestRedirect): Promise<Response> {
    const { method, body, sid, signal } = request;
    // Made before the network is touched: what cannot be sent at all is no failure of the network.
    const init: RequestInit & { until: Stop | undefined } = {
      method,
      redirect,
      headers: this.#toHeaders(request),
      body: toBody(body),
      // A fetch of ours follows the end itself; for others it is made a signal when they ask.
      until: signal,
      get signal() {
        return signal instanceof End ? signal.signal : (signal ?? null);
      },
      // A program may set one of its own before it hands the request on.
      set signal(own) {
        Object.defineProperty(init, 'signal', { value: own, writable: true });
        init.until = own ?? undefined;
      },
    };
    try {
      return await this.#fetch(url, init);
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      throw toNetworkError(thrown, { sid });
    }
  }

  #toHeaders({ body, sid, instance, headers }: WireRequest): Record<string, string> {
    // Not when the client is made: what cannot be sent is the failure of a request.
    this.#common ??= toSendable({ Accept: 'application/json', ...this.#headers }, sid);
    const own = {
      ...(sid === undefined ? {} : { [SESSION_HEADER]: sid }),
      ...(instance === undefined ? {} : { [INSTANCE_HEADER]: instance }),
      ...headers,
    };
    const result = { ...(body === undefined ? {} : JSON_BODY), ...this.#common, ...toSendable(own, sid) };
    // So that what the server does belongs to the caller's trace; without an SDK this does nothing.
    propagation.inject(context.active(), result);
    return result;
  }
}

const JSON_BODY = { 'content-type': 'application/json' };

/** Headers by their names in lower case: one in another case replaces, and is not added to, the one before. */
function toSendable(headers: Readonly<Record<string, string>>, sid: string | undefined): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, given] of Object.entries(headers)) {
    const value = given.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    // Without the value, which may be a key.
    if (!isSendable(name, value)) throw new ClientError(`the header ${name} has a value that cannot be sent`, { sid });
    result[name.toLowerCase()] = value;
  }
  return result;
}

// As fetch has it: a name is a token, and a value has one byte for each character and no line end.
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function toBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new ClientError(`'${url}' is not the URL of a server: it must begin with http:// or https://`);
  return url.replace(/\/+$/, '');
}

function toBody(body: JsonValue | undefined): string | null {
  if (body === undefined) return null;
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ClientError(`the request cannot be sent as JSON: ${(cause as Error).message}`, { cause });
  }
}

function toAstray(status: number, target: string, { method, path, sid }: WireRequest): ClientError {
  return new ClientError(`the answer to ${method} ${path} redirects to an invalid URL: ${toShort(target)}`, {
    status,
    sid,
  });
}

function isRedirect(status: number): boolean {
  return status === 307 || status === 308;
}
