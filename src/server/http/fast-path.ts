import { type IncomingHttpHeaders, IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { INSTANCE_HEADER } from '../../protocol/index.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { ANYBODY, type Identity } from '../auth/identity.ts';
import type { Observation } from '../observe/observation.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import { BodyChunks } from './body-chunks.ts';
import type { CallExchange } from './exchange.ts';
import type { Instance } from './instance.ts';
import { SMALL_BODY_BYTES } from './read-body.ts';
import type { Caller, RequestTracker } from './request-tracker.ts';
import type { WebGuard } from './web-guard.ts';

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
  readonly #requests: RequestTracker;
  readonly #instanceId: string;
  readonly #maxBytes: number;
  /** Undefined where it makes no difference where a request comes from. */
  readonly #guard: WebGuard | undefined;

  constructor(options: FastPathOptions) {
    this.#requests = options.requests;
    this.#instanceId = options.instance.id;
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
    this.#routes.clear();
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
    if (route === undefined || !this.#isPlain(headers)) return false;
    // One that waited for others on its connection may have been read into its stream meanwhile.
    if (!(request instanceof WholeRequest) || request.complete || request.readableLength > 0) return false;
    const identity = route.authenticator === undefined ? ANYBODY : route.authenticator.recognize(headers);
    if (identity === undefined || !route.takes(identity, headers)) return false;
    const caller: Caller = { tiltyardIdentity: identity, tiltyardIsTold: false };
    this.#requests.begin(request, response, route.counts, caller);
    const open: CallExchange['open'] = (status, own) =>
      void response.writeHead(status, [...own, INSTANCE_HEADER, this.#instanceId]);
    // Whoever instruments HTTP has its span around this moment, and not around the one when the body is there.
    const trace = route.traceOf?.(request);
    request.onWhole = (body) => route.answer({ headers, body, identity, response, caller, trace, open });
    return true;
  }

  /** Whether nothing about a request is unusual, as far as its headers tell. */
  #isPlain(headers: IncomingHttpHeaders): boolean {
    return (
      headers['content-type'] === 'application/json' &&
      // Without a length it comes in chunks, and how much it is shows only on the way.
      Number(headers['content-length']) <= this.#maxBytes &&
      headers.host !== undefined &&
      headers.upgrade === undefined &&
      (headers[INSTANCE_HEADER] ?? this.#instanceId) === this.#instanceId &&
      this.#guard?.isPlain(headers) !== false
    );
  }
}

/**
 * A request that can give its body away as text, in the moment in which Node has read the last of it. A stream tells the same in five
 * events, each with a turn in the queue of ticks, which is a tenth of what a call costs.
 */
export class WholeRequest extends IncomingMessage {
  /** Node's own mark: it need not have the stream flow, for the sake of the next request, when this one is answered. */
  declare _dumped: boolean;
  /** Set before its stream has begun, it gets the body instead. It is not called if the client leaves before the body is whole. */
  onWhole: ((text: string) => void) | undefined;
  // Nearly all come in one piece.
  #body: Buffer | BodyChunks | undefined;

  static {
    // Node asks this before it forgets a request that was answered. Not in the usual way, since its types have a property here.
    const { get } = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded') as PropertyDescriptor;
    Object.defineProperty(WholeRequest.prototype, 'readableEnded', {
      get: function (this: WholeRequest) {
        return this.onWhole === undefined ? get?.call(this) : this.complete;
      },
    });
  }

  /** Node adds each piece to the stream in this way, and `null` at the end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.onWhole === undefined) return super.push(piece, encoding);
    const body = this.#body;
    if (piece === null) {
      this._dumped = true;
      this.#body = undefined;
      this.onWhole(body?.toString() ?? '');
    } else this.#body = body === undefined ? piece : BodyChunks.of(body).add(piece);
    return true;
  }
}
