import type { FastifyInstance } from 'fastify';
import { toError } from '../../core/index.ts';
import { SESSION_HEADER } from '../../protocol/index.ts';
import type { CallRequest, SessionRef } from '../../sessions/index.ts';
import { bytesOfCall } from '../http/bodies.ts';
import { toErrorAnswer, toFailureAnswer } from '../http/errors.ts';
import { byFastify, type CallExchange, respond } from '../http/exchange.ts';
import type { FastRoute } from '../http/fast-path.ts';
import { isOfficialSdk, MAX_SID_LENGTH, readSid } from '../http/headers.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import { readCall } from './bodies.ts';
import { CallStream } from './call-stream.ts';
import { mayCall } from './scopes.ts';
import type { OrsService } from './service.ts';

/** The route of calls. */
export const CALL_ROUTE = '/:env/call';

/** Registers the call of a tool. Not an async handler: the hot path makes no promise that it does not need. */
export function registerCall(app: FastifyInstance, service: OrsService): void {
  app.post(CALL_ROUTE, service.docs.call, (request, reply) => {
    answerCall(service, (request.params as { env: string }).env, byFastify(request, reply));
  });
}

const PLAIN_SID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SID_LENGTH}}$`);

/** The same for plain requests, past Fastify. */
export function fastCall(service: OrsService, environment: string, counts: RouteCounts): FastRoute {
  return {
    authenticator: service.authenticator,
    counts,
    takes(identity, headers) {
      const sid = headers[SESSION_HEADER];
      return typeof sid === 'string' && PLAIN_SID.test(sid) && (identity.scopes === undefined || mayCall(identity));
    },
    answer: (exchange) => answerCall(service, environment, exchange),
  };
}

function answerCall(service: OrsService, environment: string, exchange: CallExchange): void {
  let ref: SessionRef | undefined;
  let request: CallRequest;
  try {
    ref = { identity: exchange.identity.id, sid: readSid(exchange.headers) };
    request = toRequest(service, environment, exchange);
  } catch (thrown) {
    return void fail(service, exchange, ref, toError(thrown));
  }
  new CallStream(exchange, ref, service.streams).start(request);
}

function toRequest(service: OrsService, environment: string, exchange: CallExchange): CallRequest {
  const { name, input, taskId } = readCall(service.parse(exchange));
  const { toolErrors, traceOf } = service;
  const keepRefusal =
    toolErrors === 'envelope' || (toolErrors === 'auto' && isOfficialSdk(exchange.headers['user-agent']));
  const bytes = bytesOfCall(exchange.body as string);
  return { environment, name, input, bytes, taskId, keepRefusal, trace: traceOf?.(exchange) };
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
  const isAbsent = state !== undefined && 'code' in state;
  const answer = isAbsent
    ? toFailureAnswer(state, returnErrors)
    : toErrorAnswer(error, returnErrors, { url: exchange.response.req.url, log });
  exchange.caller.tiltyardCode = answer.body.code;
  respond(exchange, answer);
}
