import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';
import { Pump, toPieces } from './pieces.ts';
import { type Caller, isQueued } from './request-tracker.ts';
import type { Transfers } from './transfers.ts';
import { LARGE_CHARACTERS, writeLast } from './write-batch.ts';

/** A call as it came over HTTP, and where its answer goes: through Fastify, or past it (see fast-path.ts). */
export interface CallExchange {
  readonly headers: IncomingHttpHeaders;
  /** As text; undefined where there is none. */
  readonly body: unknown;
  readonly identity: Identity;
  readonly response: ServerResponse;
  /** Takes what the log needs to know of the request: the code of an error, and whether the line of a call tells of it. */
  readonly caller: Caller;
  /** Begins the answer, which is written to the response from now on; adds the headers that all answers have. */
  open(status: number, headers: OutgoingHttpHeaders): void;
}

/** A call that came through Fastify. */
export function byFastify(request: FastifyRequest, reply: FastifyReply): CallExchange {
  return {
    headers: request.headers,
    body: request.body,
    identity: identityOf(request),
    response: reply.raw,
    caller: request,
    open(status, headers) {
      reply.hijack();
      const others = reply.getHeaders() as OutgoingHttpHeaders;
      for (const name in others) headers[name] ??= others[name];
      reply.raw.writeHead(status, headers);
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
  exchange.open(status, jsonHeaders(Buffer.byteLength(text), headers));
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
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  exchange.open(status, jsonHeaders(bytes, headers));
  const pump = new Pump(response, toPieces(texts));
  pump.count(transfers.begin(response, exchange.identity.id), characters);
  pump.write();
}

// A loop: to spread one object takes longer than all of this.
function jsonHeaders(length: number, others: Readonly<Record<string, string>>): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
  };
  for (const name in others) headers[name] ??= others[name];
  return headers;
}
