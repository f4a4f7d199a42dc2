import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { type Call, sidOf } from '../../sessions/index.ts';
import { readSessionKey } from '../auth/identify.ts';
import { readCall } from '../http/bodies.ts';
import { isOfficialSdk } from '../http/headers.ts';
import type { CallExchange } from './call-exchange.ts';
import { CallStream } from './call-stream.ts';
import type { OrsFace } from './plugin.ts';

/** The route of calls. */
export const CALL_ROUTE = '/:env/call';

/** Registers the call of a tool. Not an async handler: the hot path makes no promise that it does not need. */
export function registerCall(app: FastifyInstance, face: OrsFace): void {
  app.post(CALL_ROUTE, face.docs.call, (request, reply) => {
    const started = startCall(face, byFastify(request, reply));
    return started?.then(() => reply);
  });
}

function byFastify(request: FastifyRequest, reply: FastifyReply): CallExchange {
  return {
    headers: request.headers,
    body: request.body,
    key: readSessionKey(request),
    environment: (request.params as { env: string }).env,
    response: reply.raw,
    takeOver() {
      reply.hijack();
      return reply.getHeaders() as OutgoingHttpHeaders;
    },
    fail: (error) => void reply.send(error),
  };
}

/** Starts a call or finds it again, and answers it when it ends; throws, or rejects, if there is nothing to start. */
export function startCall(face: OrsFace, exchange: CallExchange): Promise<void> | undefined {
  // The session comes before the body: who calls into a dead session shall hear that first.
  const environment = face.host.environmentOf(exchange.key);
  if (environment instanceof Promise) return environment.then((name) => start(face, name, exchange));
  start(face, environment, exchange);
  return undefined;
}

function start(face: OrsFace, environment: string, exchange: CallExchange): void {
  const { key, headers, environment: named } = exchange;
  const wanted = readCall(face.parse(exchange), (exchange.body as string).length);
  if (named !== environment && named.toLowerCase() !== environment) {
    throw new TiltyardError(
      'environment_mismatch',
      `session '${sidOf(key)}' runs environment '${environment}', not '${named}'`,
    );
  }
  const envelope =
    face.toolErrors === 'envelope' || (face.toolErrors === 'auto' && isOfficialSdk(headers['user-agent']));
  const { traceOf } = face;
  const traced = traceOf === undefined ? wanted : { ...wanted, trace: traceOf(exchange) };
  const answer = (call: Call) => void new CallStream({ call, exchange, envelope }, face.streams);
  const call = face.host.call(key, traced);
  if (call instanceof Promise) call.then(answer, (error) => exchange.fail(error));
  else answer(call);
}
