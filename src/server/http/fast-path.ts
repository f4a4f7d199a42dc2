import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { INSTANCE_HEADER } from '../../protocol/index.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { ANYBODY, type Identity } from '../auth/identity.ts';
import type { Observation } from '../observe/observation.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import type { CallExchange } from './exchange.ts';
import type { Instance } from './instance.ts';
import { SMALL_BODY_BYTES } from './read-body.ts';
import type { Caller, RequestTracker } from './request-tracker.ts';
import type { WebGuard } from './web-guard.ts';
import { WholeRequest } from './whole-request.ts';

/** A route whose plain requests need not pass through Fastify. */
export interface FastRoute {
  readonly authenticator: Authenticator | undefined;
  readonly counts: RouteCounts;
  readonly traceOf: Observation['traceOf'];
  /** Whether a caller may use it, with nothing unusual in the headers that are its own. */
  takes(identity: Identity, headers: IncomingHttpHeaders): boolean;
  answer(exchange: CallExchange): void;
}

/** What the fast path needs of its server. */
export interface FastPathOptions {
  readonly bodyBytes: number;
  readonly requests: RequestTracker;
  readonly guard: WebGuard;
  readonly instance: Instance;
}

/**
 * Takes calls past Fastify. Nearly all requests to a busy server are calls, and to find the route, the hooks and the parser
 * for each would be a seventh of its work. Only plain ones are taken: whatever has to be refused for its address, its
 * headers or its credentials is left to Fastify, so that there is one place for the words. A server of its own has no hooks
 * but ours, so nothing that a user added is passed by; where a protocol is mounted in an app there is no fast path.
 */
export class FastPath {
  readonly #routes = new Map<string, FastRoute>();
  readonly #options: FastPathOptions;
  readonly #maxBytes: number;
  /** Undefined where it makes no difference where a request comes from. */
  readonly #guard: WebGuard | undefined;
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
    // For a larger one the session is looked up, and memory taken, before it is read.
    this.#maxBytes = Math.min(options.bodyBytes, SMALL_BODY_BYTES);
    this.#guard = options.guard.isNeeded ? options.guard : undefined;
  }

  /** Adds a route of POST requests. */
  add(path: string, route: FastRoute): void {
    this.#routes.set(path, route);
  }

  /** Takes no more: while the server stops, Fastify closes each connection with its answer. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes plain requests, and leaves the others to Fastify. */
  before(fastify: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#take(request, response)) fastify(request, response);
    };
  }

  #take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request;
    const route = method === 'POST' ? this.#routes.get(url) : undefined;
    if (route === undefined || this.#isClosed || !this.#isPlain(headers)) return false;
    // One that waited for others on its connection may have been read meanwhile.
    if (!(request instanceof WholeRequest) || request.hasBegun) return false;
    const { authenticator } = route;
    const identity = authenticator === undefined ? ANYBODY : authenticator.recognize(headers);
    if (identity === undefined || !route.takes(identity, headers)) return false;
    const caller: Caller = { tiltyardIdentity: identity, tiltyardIsTold: false };
    const { requests, instance } = this.#options;
    requests.begin(request, response, route.counts, caller);
    const open: CallExchange['open'] = (status, own) => {
      own.push(INSTANCE_HEADER, instance.id);
      response.writeHead(status, own);
    };
    // Whoever instruments HTTP has its span around this moment, and not around the one when the body is there.
    const trace = route.traceOf?.(request);
    request.whenWhole((body) => route.answer({ headers, body, identity, response, caller, trace, open }));
    return true;
  }

  /** Whether nothing about a request is unusual, as far as its headers tell. */
  #isPlain(headers: IncomingHttpHeaders): boolean {
    const { id } = this.#options.instance;
    return (
      headers['content-type'] === 'application/json' &&
      // Without a length it comes in chunks, and how much it is shows only on the way.
      Number(headers['content-length']) <= this.#maxBytes &&
      headers.host !== undefined &&
      headers.upgrade === undefined &&
      (headers[INSTANCE_HEADER] ?? id) === id &&
      this.#guard?.isPlain(headers) !== false
    );
  }
}
