import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TraceHeaders } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';
import type { Observation } from '../observe/observation.ts';
import { Pump, toPieces } from './pieces.ts';
import { type Caller, isQueued } from './request-tracker.ts';
import type { Transfers } from './transfers.ts';
import { type AnswerTarget, type HeaderList, LARGE_CHARACTERS, writeWhole } from './write-batch.ts';

/** A call as it came over HTTP, and where its answer goes: through Fastify, or past it (see fast-path.ts). */
export interface CallExchange extends AnswerTarget {
  readonly headers: IncomingHttpHeaders;
  /** As text; undefined where there is none. */
  readonly body: unknown;
  readonly identity: Identity;
  /** Takes what the log needs to know of the request: the code of an error, and whether the line of a call tells of it. */
  readonly caller: Caller;
  /** To which trace it belongs, if anybody traces. */
  readonly trace: TraceHeaders | undefined;
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
      const all = [...headers];
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined && !headers.includes(name)) all.push(name, value);
      reply.raw.writeHead(status, all);
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
  writeWhole(exchange, status, jsonHeaders(headers), text);
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
  exchange.open(status, [...jsonHeaders(headers), 'content-length', bytes]);
  const pump = new Pump(response, toPieces(texts));
  pump.count(transfers.begin(response, exchange.identity.id), characters);
  pump.write();
}

function jsonHeaders(others: Readonly<Record<string, string>>): HeaderList {
  const headers: HeaderList = ['content-type', 'application/json; charset=utf-8'];
  for (const name in others) headers.push(name, others[name] as string);
  return headers;
}
