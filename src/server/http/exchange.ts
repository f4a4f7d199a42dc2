import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LARGE_CHARACTERS } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';
import { Pump, toPieces } from './pieces.ts';
import { type Caller, isQueued } from './request-tracker.ts';
import type { Transfers } from './transfers.ts';

/** A call as it came over HTTP, and where its answer goes: through Fastify, or past it (see fast-path.ts). */
export interface CallExchange {
  readonly headers: IncomingHttpHeaders;
  /** As text; undefined where there is none. */
  readonly body: unknown;
  readonly identity: Identity;
  readonly response: ServerResponse;
  /** Takes the code of an error for the request's line in the log. */
  readonly caller: Caller;
  /** From now on the answer is written to the response; gives the headers that others have set. */
  takeOver(): OutgoingHttpHeaders;
}

/** A call that came through Fastify. */
export function byFastify(request: FastifyRequest, reply: FastifyReply): CallExchange {
  return {
    headers: request.headers,
    body: request.body,
    identity: identityOf(request),
    response: reply.raw,
    caller: request,
    takeOver() {
      reply.hijack();
      return reply.getHeaders() as OutgoingHttpHeaders;
    },
  };
}

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent as JSON, or the JSON itself. */
  readonly body: object | string;
}

/** Answers with JSON. */
export function respond(exchange: CallExchange, { status, headers, body }: WholeAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const own: OutgoingHttpHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  exchange.response.writeHead(status, withOthers(withOthers(own, headers), exchange.takeOver()));
  writeLast(exchange.response, text);
}

/** Answers with JSON that may be large, as texts one after the other; what its client has not read counts. */
export function respondInPieces(
  exchange: CallExchange,
  transfers: Transfers,
  { status, headers, texts }: Omit<WholeAnswer, 'body'> & { readonly texts: readonly string[] },
): void {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const { response } = exchange;
  if (characters <= LARGE_CHARACTERS) {
    if (isQueued(response)) transfers.countQueued(response, exchange.identity.id, characters);
    return respond(exchange, { status, headers, body: texts.join('') });
  }
  const own: OutgoingHttpHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
  response.writeHead(status, withOthers(withOthers(own, headers), exchange.takeOver()));
  const pump = new Pump(response, toPieces(texts));
  pump.count(transfers.begin(response, exchange.identity.id), characters);
  pump.write();
}

/** Adds the headers that others have set. */
export function withOthers(headers: OutgoingHttpHeaders, others: OutgoingHttpHeaders): OutgoingHttpHeaders {
  for (const name in others) headers[name] ??= others[name];
  return headers;
}

/**
 * Writes the only piece of a body whose length was announced. Not `end(body)`, which hands the system two pieces, one of
 * them empty: a single one makes the server a tenth faster.
 */
export function writeLast(response: ServerResponse, body: string): void {
  response.write(body);
  process.nextTick(end, response);
}

function end(response: ServerResponse): void {
  response.end();
}
