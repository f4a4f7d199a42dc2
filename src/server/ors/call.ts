import type { FastifyInstance } from 'fastify';
import { describe, toError } from '../../core/index.ts';
import { encodeSmallResult, encodeTaskId, isObject, SESSION_HEADER } from '../../protocol/index.ts';
import { type CallEvent, type CallRequest, isAbsent, type SessionRef } from '../../sessions/index.ts';
import { badRequest, bytesOfCall } from '../http/bodies.ts';
import { toErrorAnswer, toFailureAnswer } from '../http/errors.ts';
import { byFastify, type CallExchange, respond } from '../http/exchange.ts';
import type { FastRoute } from '../http/fast-path.ts';
import { MAX_SID_LENGTH, readSid } from '../http/headers.ts';
import { hasLeft, isQueued } from '../http/request-tracker.ts';
import { writeWhole } from '../http/write-batch.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import { CallStream, type CallStreamOptions, STREAM_HEADERS } from './call-stream.ts';
import { mayCall } from './scopes.ts';
import type { OrsService } from './service.ts';

/** The route of calls. */
export const CALL_ROUTE = '/:env/call';

/** Registers the call of a tool. Not an async handler: the hot path makes no promise that it does not need. */
export function registerCall(app: FastifyInstance, service: OrsService): void {
  app.post(CALL_ROUTE, service.docs.call, (request, reply) => {
    const exchange = byFastify(request, reply, service.traceOf);
    let sid: string;
    try {
      sid = readSid(request.headers);
    } catch (thrown) {
      return void fail(service, exchange, undefined, toError(thrown));
    }
    answerCall(service, (request.params as { env: string }).env, sid, exchange);
  });
}

const PLAIN_SID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SID_LENGTH}}$`);

/** The same for plain requests, past Fastify. */
export function fastCall(service: OrsService, environment: string, counts: RouteCounts): FastRoute {
  return {
    authenticator: service.authenticator,
    counts,
    traceOf: service.traceOf,
    takes(identity, headers) {
      const sid = headers[SESSION_HEADER];
      return typeof sid === 'string' && PLAIN_SID.test(sid) && (identity.scopes === undefined || mayCall(identity));
    },
    answer: (exchange) => answerCall(service, environment, exchange.headers[SESSION_HEADER] as string, exchange),
  };
}

function answerCall(service: OrsService, environment: string, sid: string, exchange: CallExchange): void {
  const ref = { identity: exchange.identity.id, sid };
  let request: CallRequest;
  try {
    request = toRequest(service, environment, exchange);
  } catch (thrown) {
    return void fail(service, exchange, ref, toError(thrown));
  }
  makeCall(service.streams, exchange, ref, request);
}

/** Makes a call. Most have ended with a small result by then: these are answered in one write, and only others need a stream. */
function makeCall(streams: CallStreamOptions, exchange: CallExchange, ref: SessionRef, request: CallRequest): void {
  let heard = undefined as CallEvent | undefined;
  let stream: CallStream | undefined;
  const leave = streams.host.call(ref, request, (event) => {
    if (event.kind === 'settled') exchange.caller.tiltyardIsTold = event.isNews;
    if (stream === undefined) heard = event;
    else stream.on(event);
  });
  const small = heard?.kind === 'settled' ? encodeSmall(heard) : undefined;
  if (small !== undefined) return streams.batch.soon(() => sendSmall(streams, exchange, small));
  stream = new CallStream(streams, exchange, ref, request);
  stream.start(heard, leave);
}

type Settled = Extract<CallEvent, { kind: 'settled' }>;

/** All events of a call that has ended with a small result. */
function encodeSmall({ taskId, ending }: Settled): string | undefined {
  const end = ending.kind === 'returned' ? encodeSmallResult(ending.json) : undefined;
  return end === undefined ? undefined : encodeTaskId(taskId) + end;
}

function sendSmall({ transfers }: CallStreamOptions, exchange: CallExchange, events: string): void {
  const { response, identity } = exchange;
  if (hasLeft(response)) return;
  if (isQueued(response)) transfers.countQueued(response, identity.id, events.length);
  writeWhole(exchange, 200, STREAM_HEADERS, events);
}

/** The request of a call, from its body. */
function toRequest(service: OrsService, environment: string, exchange: CallExchange): CallRequest {
  const { name, input, task_id: given } = service.parse(exchange);
  if (typeof name !== 'string' || name === '')
    throw badRequest(`'name' must be the name of a tool, not ${name === '' ? 'an empty string' : describe(name)}`);
  if (!isObject(input))
    throw badRequest(`'input' must be an object ({} for a tool without parameters), not ${describe(input)}`);
  const taskId = given === undefined || given === null ? undefined : readTaskId(given);
  const isOfficial = OFFICIAL_SDK.test(exchange.headers['user-agent'] ?? '');
  const keepRefusal = service.toolErrors === 'envelope' || (service.toolErrors === 'auto' && isOfficial);
  const bytes = bytesOfCall(exchange.body as string);
  return { environment, name, input, bytes, taskId, keepRefusal, trace: exchange.trace };
}

// They take refused calls only inside the event stream.
const OFFICIAL_SDK = /^(ors-sdk|openreward-sdk)\//;

function readTaskId(given: unknown): string {
  if (typeof given === 'string' && /^[\x21-\x7e]{1,256}$/.test(given)) return given;
  throw badRequest(`'task_id' must be a string of 1 to 256 visible characters, not ${describe(given)}`);
}

/** Answers a request that cannot be read; but a client that calls into a dead session hears of that first. */
async function fail(
  { host, log, streams: { returnErrors } }: OrsService,
  exchange: CallExchange,
  ref: SessionRef | undefined,
  error: Error,
): Promise<void> {
  // A session that cannot be reached now may well be there.
  const state = ref === undefined ? undefined : await Promise.resolve(host.touch(ref)).catch(() => undefined);
  const answer =
    state !== undefined && isAbsent(state)
      ? toFailureAnswer(state, returnErrors)
      : toErrorAnswer(error, returnErrors, { url: exchange.response.req.url, log });
  exchange.caller.tiltyardCode = answer.body.code;
  respond(exchange, answer);
}
