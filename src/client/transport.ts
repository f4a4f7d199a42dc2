import { context, propagation } from '@opentelemetry/api';
import { INSTANCE_HEADER, isObject, type JsonValue, SESSION_HEADER } from '../protocol/index.ts';
import { type AnswerBounds, type Bounds, toBounds } from './answer-bounds.ts';
import { AuthError, ClientError, HttpError, SETUP_FAILED, SessionTerminated, STARTING } from './errors.ts';
import { type KnownInstance, OtherInstance } from './instance.ts';
import { toNetworkError } from './network-error.ts';
import { parseJson } from './parse-json.ts';
import { toJsonText, toShort } from './quote.ts';
import { readStart, readText } from './read-text.ts';
import { OddAnswer, type Reader } from './reading.ts';

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
  readonly toError?: ((failure: Failure, request: WireRequest) => Error) | undefined;
  /** How much of an answer is taken. */
  readonly bounds?: AnswerBounds | undefined;
}

/** An answer with a status that is an error, read to its end. */
export interface Failure extends Answer {
  readonly status: number;
  readonly statusText: string;
}

/** One request. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: JsonValue | undefined;
  readonly sid?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears which instance of the server answers. */
  readonly hearer?: KnownInstance | undefined;
  /** The only instance that may answer: any other has to refuse. */
  readonly instance?: string | undefined;
}

/** An answer that has been read to its end. */
export interface Answer {
  readonly headers: Headers;
  readonly text: string;
}

const MAX_REDIRECTS = 5;

const MAX_ERROR_BYTES = 1024 * 1024;

/** Sends one request, once. Statuses that are errors are thrown, as the class that says what to do. */
export class Transport {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #headers: Record<string, string>;
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
    const init = { method, redirect, headers: this.#toHeaders(request), body: toBody(body), signal: signal ?? null };
    try {
      return await this.#fetch(url, init);
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      throw toNetworkError(thrown, { sid });
    }
  }

  #toHeaders({ body, sid, instance, headers }: WireRequest): Record<string, string> {
    const named = {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...this.#headers,
      ...(sid === undefined ? {} : { [SESSION_HEADER]: sid }),
      ...(instance === undefined ? {} : { [INSTANCE_HEADER]: instance }),
      ...headers,
    };
    const result: Record<string, string> = {};
    for (const [name, given] of Object.entries(named)) {
      const value = given.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
      // Without the value, which may be a key.
      if (!isSendable(name, value))
        throw new ClientError(`the header ${name} has a value that cannot be sent`, { sid });
      // The same name in another case replaces, and is not added to, the one before.
      result[name.toLowerCase()] = value;
    }
    // So that what the server does belongs to the caller's trace; without an SDK this does nothing.
    propagation.inject(context.active(), result);
    return result;
  }
}

// As fetch has it: a name is a token, and a value has one byte for each character and no line end.
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** What a request asked for; `taskId` where that was a call. */
export interface Question extends Pick<WireRequest, 'method' | 'path' | 'sid'> {
  readonly taskId?: string | undefined;
}

/** The JSON of an answer, read as what it has to be. */
export function readJson<Value>({ text }: Answer, question: Question, read: Reader<Value>): Value {
  const { method, path, sid, taskId } = question;
  const what = `the answer to ${method} ${path}`;
  let body: unknown;
  try {
    body = parseJson(text, { sid, taskId }, what);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw new ClientError(`${what} is not JSON: ${text.slice(0, 100)}`, { sid, taskId, cause });
  }
  try {
    return read(body);
  } catch (error) {
    throw error instanceof OddAnswer ? new ClientError(`${what} ${error.message}`, { sid, taskId }) : error;
  }
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

/** What `Retry-After` asks for. In seconds; the other form, a date, is not for servers that are back soon. */
export function toRetryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

function toOrsError({ status, statusText, headers, text }: Failure, { sid }: WireRequest): Error {
  const { detail, code = toCode(headers) } = toDetail(text, statusText);
  if (code === SETUP_FAILED) return new HttpError(status, detail, { sid, code });
  if (status === 401) return new AuthError(status, detail, { sid, code });
  if (status === 410) return new SessionTerminated(`the session is over: ${detail}`, { sid, code, status });
  return new HttpError(status, detail, { sid, code, retryAfterMs: toRetryAfterMs(headers.get('retry-after')) });
}

// Servers of openreward, and the hosted platform before them, say in a header that an environment is being set up.
function toCode(headers: Headers): string | undefined {
  return headers.get('x-backend-state') === 'starting' ? STARTING : undefined;
}

/** The `detail` of an error body as text: a string, FastAPI's array of problems, or whatever came instead. */
export function toDetail(body: string, fallback: string): { detail: string; code?: string | undefined } {
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    return { detail: body.slice(0, 500) || fallback }; // not JSON: a proxy's page, most likely
  }
  if (!isObject(parsed)) return { detail: body };
  const code = typeof parsed.code === 'string' ? parsed.code : undefined;
  const { detail } = parsed;
  if (typeof detail === 'string') return { detail, code };
  if (Array.isArray(detail)) return { detail: detail.map(toProblem).join('; '), code };
  return { detail: detail === undefined ? body : toJsonText(detail), code };
}

function toProblem(problem: unknown): string {
  if (!isObject(problem)) return toWords(problem);
  const { loc, msg } = problem;
  const place = Array.isArray(loc) ? `${loc.map(toWords).join('.')}: ` : '';
  return `${place}${toWords(msg ?? problem)}`;
}

// By JSON: an object may say of itself that it is no text.
function toWords(sent: unknown): string {
  return typeof sent === 'string' ? sent : toJsonText(sent);
}
