import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TraceHeaders } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';

import type { Observation } from '../observe/observation.ts';
import { Pump, toPieces } from './pieces.ts';
import { type Caller, isQueued } from './request-tracker.ts';
import type { Transfers } from './transfers.ts';
import { LARGE_CHARACTERS, writeLast } from './write-batch.ts';

/** Headers of an answer: names in lower case and values in turns, a form in which Node takes them as they are. */
export type HeaderList = OutgoingHttpHeader[];

/** A call as it came over HTTP, and where its answer goes: through Fastify, or past it (see fast-path.ts). */
export interface CallExchange {
  readonly headers: IncomingHttpHeaders;
  /** As text; undefined where there is none. */
  readonly body: unknown;
  readonly identity: Identity;
  readonly response: ServerResponse;
  /** Takes what the log needs to know of the request: the code of an error, and whether the line of a call tells of it. */
  readonly caller: Caller;
  /** To which trace it belongs, if anybody traces. */
  readonly trace: TraceHeaders | undefined;
  /** Begins the answer, which is written to the response from now on; adds the headers that all answers have to these. */
  open(status: number, headers: HeaderList): void;
}

/** A call that came through Fastify. */
export function byFastify(request: FastifyRequest, reply: FastifyReply, traceOf: Observation['traceOf']): CallExchange {
  return {
    headers: request.headers,
    body: request.body,
    identity: identityOf(request),
    response: reply.raw,
    caller: request,
    trace: traceOf?.(request),
    open(status, headers) {
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined && !headers.includes(name)) headers.push(name, value);
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
  const bytes = Buffer.byteLength(text);
  exchange.open(status, jsonHeaders(bytes, headers));
  writeLast(exchange.response, text, bytes);
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

function jsonHeaders(length: number, others: Readonly<Record<string, string>>): HeaderList {
  const headers: HeaderList = ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  for (const name in others) headers.push(name, others[name] as string);
  return headers;
}
