import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { SESSION_HEADER } from '../../protocol/index.ts';
import type { EndedRequest, EventLog } from '../observe/event-log.ts';
import type { RequestCounts, RouteCounts } from '../observe/request-counts.ts';

/** The status in logs of a request whose connection closed before its answer was out: nginx's number, which no answer has. */
const CLIENT_LEFT = 499;

/** The requests of a server from their arrival until they have ended; each ends once, is counted and has its line then. */
export interface RequestTracker {
  /** Notes a request, as soon as its headers are there, with the counts of its route, if it has one, and its caller. */
  begin(request: IncomingMessage, response: ServerResponse, counts?: RouteCounts, caller?: Caller): void;
  /** Notes that Node cannot read what a connection sends; false if no answer may be written, since another is due first. */
  refuse(socket: Socket, refusal: Refusal): boolean;
}

/** How something is refused for which Node makes no response, and what is known of it. */
export type Refusal = Pick<EndedRequest, 'method' | 'url' | 'status' | 'parserError'>;

/** Who a request comes from and why it was refused, when that is known: a request of Fastify's, or what stands for it. */
export type Caller = Partial<Pick<FastifyRequest, 'tiltyardIdentity' | 'tiltyardCode'>>;

const NO_CALLER: Caller = {};

// Clients that send requests ahead send a few. Each takes memory until it is answered, and a socket can bring any number.
const MAX_UNANSWERED = 100;

interface Connection {
  /** Kept, because a socket that has closed no longer knows it. */
  readonly remoteAddress: string | undefined;
  /** In the order they came, which is the order of their answers. */
  readonly open: OpenRequest[];
  /** The last one that was answered before all of it had come. */
  unread: IncomingMessage | undefined;
  /** Whether nothing further is read until some are answered. */
  isPaused: boolean;
}

interface OpenRequest {
  readonly connection: Connection;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counts: RouteCounts;
  readonly caller: Caller;
  readonly arrivedAt: number;
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
      unread: undefined,
      isPaused: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const each of connection.open.splice(0)) tell(events, each, CLIENT_LEFT);
    });
    return connection;
  };
  return {
    begin(request, response, counts = unrouted, caller = NO_CALLER) {
      const connection = connections.get(request.socket) ?? watch(request.socket);
      const { open } = connection;
      const arrivedAt = performance.now();
      const begun: OpenRequest = { connection, request, response, counts, caller, arrivedAt, refusal: undefined };
      open.push(begun);
      if (open.length > MAX_UNANSWERED && !connection.isPaused) pause(request.socket, connection);
      response.on('finish', () => {
        // It is not there if its client left before.
        if (open[0] !== begun) return;
        open.shift();
        if (connection.isPaused && open.length <= MAX_UNANSWERED) resume(request.socket, connection);
        if (!request.complete) connection.unread = request;
        tell(events, begun, response.statusCode);
      });
    },
    refuse(socket, refusal) {
      const { open = [], unread } = connections.get(socket) ?? {};
      const last = open.at(-1);
      // What is broken is the rest of a request that has its answer and its line.
      if (last === undefined && unread?.complete === false) return false;
      // What is broken is the body of the last request, or what should have been the next one.
      if (last === undefined || last.request.complete) {
        count(unrouted, refusal.status);
        events.requestEnded({ ...refusal, remoteAddress: socket.remoteAddress });
        return open.length === 0;
      }
      if (last.response.headersSent) return false;
      last.refusal = refusal;
      return open.length === 1;
    },
  };
}

/** Reads no further once this turn is over: until then Node goes on by itself for each request that it has read. */
function pause(socket: Socket, connection: Connection): void {
  connection.isPaused = true;
  setImmediate(() => {
    if (connection.isPaused) socket.pause();
  });
}

function resume(socket: Socket, connection: Connection): void {
  connection.isPaused = false;
  socket.resume();
}

function tell(events: EventLog, ended: OpenRequest, answered: number): void {
  const { method, url, headers } = ended.request;
  const { counts, refusal } = ended;
  const status = refusal?.status ?? answered;
  count(counts, status);
  events.requestEnded({
    method,
    url,
    sid: headers[SESSION_HEADER] as string | undefined,
    identity: ended.caller.tiltyardIdentity?.id,
    remoteAddress: status < 400 ? undefined : ended.connection.remoteAddress,
    status,
    code: status < 400 ? undefined : ended.caller.tiltyardCode,
    parserError: refusal?.parserError,
    durationMs: performance.now() - ended.arrivedAt,
  });
}

function count(counts: RouteCounts, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}
