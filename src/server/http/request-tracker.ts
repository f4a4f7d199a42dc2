import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { SESSION_HEADER } from '../../protocol/index.ts';
import type { EndedRequest, EventLog } from '../observe/event-log.ts';
import type { RequestCounts, RouteCounts } from '../observe/request-counts.ts';

/** The status in logs of a request whose connection closed before its answer was out: nginx's number, which no answer has. */
const CLIENT_LEFT = 499;

/** The requests of a server from their arrival until they have ended; each ends once, is counted and has its line then. */
export interface RequestTracker {
  /** Has requests handled in the order they came, and not too many of one connection at a time. */
  inTurn(handle: RequestListener): RequestListener;
  /** Notes a request, as soon as its headers are there, with the counts of its route, if it has one, and its caller. */
  begin(request: IncomingMessage, response: ServerResponse, counts?: RouteCounts, caller?: Caller): void;
  /** Notes that Node cannot read what a connection sends; false if no answer may be written, since another is due first. */
  refuse(socket: Socket, refusal: Refusal): boolean;
}

/** How something is refused for which Node makes no response, and what is known of it. */
export type Refusal = Pick<EndedRequest, 'method' | 'url' | 'status' | 'parserError'>;

/** Who a request comes from, why it was refused and who tells of it, when that is known: a request of Fastify's, or what stands for it. */
export type Caller = Partial<Pick<FastifyRequest, 'tiltyardIdentity' | 'tiltyardCode' | 'tiltyardIsTold'>>;

const NO_CALLER: Caller = {};

// Clients that send requests ahead send a few. Each takes memory until it is answered, and a socket can bring any number.
const MAX_UNANSWERED = 100;
const MAX_UNANSWERED_BYTES = 128 * 1024;

// The others wait, since each that is handled takes more memory.
const MAX_HANDLED = 32;

// What is read at one time can hold thousands of requests, if they are small enough. Nobody who means to read the answers sends
// so many, and HTTP lets a server close such a connection.
const MAX_WAITING = 2_000;

interface Connection {
  /** Kept, because a socket that has closed no longer knows it. */
  readonly remoteAddress: string | undefined;
  /** In the order they came, which is the order of their answers. */
  readonly open: OpenRequest[];
  /** Those that came after them, and are not looked at yet. */
  readonly waiting: WaitingRequest[];
  /** The last one that was answered before all of it had come. */
  unread: IncomingMessage | undefined;
  /** Whether nothing further is read until some are answered. */
  isPaused: boolean;
  isPausing: boolean;
}

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly arrivedAt: number;
  handle(): void;
}

interface OpenRequest {
  readonly connection: Connection;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counts: RouteCounts;
  readonly caller: Caller;
  readonly arrivedAt: number;
  /** How much its connection had brought by then, if it came behind others. */
  readonly readBytes: number;
  /** Set if it is answered past its response. */
  refusal: Refusal | undefined;
}

/** Who hears of requests that have ended. */
export interface RequestTrackerOptions {
  readonly events: EventLog;
  readonly counts: RequestCounts;
}

/**
 * Follows requests by their connections. A response tells when it is out, but not always when its client leaves: of
 * several requests that wait on one connection, Node tells only the first. So one listener on the connection ends them
 * all, which also costs less than one for each request.
 */
export function requestTracker({ events, counts }: RequestTrackerOptions): RequestTracker {
  const unrouted = counts.of();
  const connections = new WeakMap<Socket, Connection>();
  const watch = (socket: Socket) => {
    const connection: Connection = {
      remoteAddress: socket.remoteAddress,
      open: [],
      waiting: [],
      unread: undefined,
      isPaused: false,
      isPausing: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const each of connection.open.splice(0)) tell(events, each, CLIENT_LEFT);
      for (const { request, arrivedAt } of connection.waiting.splice(0))
        tell(events, { connection, request, counts: unrouted, caller: NO_CALLER, arrivedAt }, CLIENT_LEFT);
    });
    return connection;
  };
  /** Makes a request that came behind others wait if its connection has enough of them; false if it can be handled at once. */
  const defer = (request: IncomingMessage, handle: () => void): boolean => {
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.open.length < MAX_HANDLED) return false;
    if (connection.waiting.length >= MAX_WAITING) request.socket.destroy();
    else connection.waiting.push({ request, handle, arrivedAt: performance.now() });
    pauseIfFull(request.socket, connection);
    return true;
  };
  return {
    inTurn: (handle) => (request, response) => {
      const waits = isQueued(response) && defer(request, () => handle(request, response));
      if (!waits) handle(request, response);
    },
    begin(request, response, counts = unrouted, caller = NO_CALLER) {
      const { socket } = request;
      const connection = connections.get(socket) ?? watch(socket);
      const { open } = connection;
      const [arrivedAt, readBytes] = [performance.now(), isQueued(response) ? socket.bytesRead : 0];
      const begun = { connection, request, response, counts, caller, arrivedAt, readBytes, refusal: undefined };
      open.push(begun);
      if (readBytes > 0) pauseIfFull(socket, connection);
      response.on('finish', () => {
        // It is not there if its client left before.
        if (open[0] !== begun) return;
        open.shift();
        if (connection.isPaused && !isFull(socket, connection)) resume(socket, connection);
        if (!request.complete) connection.unread = request;
        tell(events, begun, response.statusCode);
        connection.waiting.shift()?.handle();
      });
    },
    refuse(socket, refusal) {
      const { open = [], waiting = [], unread } = connections.get(socket) ?? {};
      const last = open.at(-1);
      // What is broken is the body of one that is not looked at yet, and is told with the others when the connection closes.
      if (waiting.at(-1)?.request.complete === false) return false;
      // What is broken is the rest of a request that has its answer and its line.
      if (last === undefined && unread?.complete === false) return false;
      // What is broken is the body of the last request, or what should have been the next one.
      if (last === undefined || last.request.complete) {
        unrouted.set(refusal.status, (unrouted.get(refusal.status) ?? 0) + 1);
        events.requestEnded({ ...refusal, remoteAddress: socket.remoteAddress });
        return open.length === 0;
      }
      if (last.response.headersSent) return false;
      last.refusal = refusal;
      return open.length === 1;
    },
  };
}

function isFull({ bytesRead }: Socket, { open, waiting }: Connection): boolean {
  if (open.length + waiting.length > MAX_UNANSWERED) return true;
  const [, next] = open;
  return next !== undefined && bytesRead - next.readBytes > MAX_UNANSWERED_BYTES;
}

/**
 * Reads no further. Not at once, since Node goes on by itself with the next request when it has read one; and not as late as the
 * next turn, before which the system would read two megabytes.
 */
function pauseIfFull(socket: Socket, connection: Connection): void {
  if (connection.isPausing || !isFull(socket, connection)) return;
  connection.isPaused = true;
  connection.isPausing = true;
  queueMicrotask(() => {
    connection.isPausing = false;
    if (connection.isPaused) socket.pause();
  });
}

function resume(socket: Socket, connection: Connection): void {
  connection.isPaused = false;
  socket.resume();
}

type EndedOne = Omit<OpenRequest, 'response' | 'readBytes' | 'refusal'> & Partial<Pick<OpenRequest, 'refusal'>>;

/** Whether a response waits until others on its connection are out. */
export function isQueued({ socket }: ServerResponse): boolean {
  return socket === null;
}

/** Whether a client has left. Not by the response: one that waits behind another on its connection does not hear of the end. */
export function hasLeft({ req }: ServerResponse): boolean {
  return req.socket.destroyed;
}

function tell(events: EventLog, ended: EndedOne, answered: number): void {
  const { counts, caller, refusal, arrivedAt } = ended;
  const status = refusal?.status ?? answered;
  counts.set(status, (counts.get(status) ?? 0) + 1);
  // Most requests are calls: nothing is put together for them.
  if (caller.tiltyardIsTold && status < 400 && !events.writesTold()) return;
  const { method, url, headers } = ended.request;
  const { [SESSION_HEADER]: sid, 'user-agent': agent } = headers as Readonly<Record<string, string | undefined>>;
  const identity = caller.tiltyardIdentity?.id;
  const isTold = caller.tiltyardIsTold;
  const told = { method, url, sid, identity, status, durationMs: performance.now() - arrivedAt, agent, isTold };
  if (status < 400) return events.requestEnded(told);
  const { remoteAddress } = ended.connection;
  events.requestEnded({ ...told, remoteAddress, code: caller.tiltyardCode, parserError: refusal?.parserError });
}
