import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { encodeSmallResult, encodeTaskId, parsedBytes, SECRETS_HEADER } from '../../protocol/index.ts';
import { isAbsent, type SessionRef } from '../../sessions/index.ts';
import { identityOf, readSessionRef } from '../auth/identify.ts';
import { requireJson } from '../http/bodies.ts';
import type { ErrorBody } from '../http/errors.ts';
import { prefersEventStream, readSecretsHeader } from '../http/headers.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import { readCreate, readOptionalTaskId } from './bodies.ts';
import { meantEnvironment } from './deployment.ts';
import type { OrsService } from './service.ts';

/** The route that begins a session. */
export const CREATE_ROUTE = '/create';

/** Registers what begins, keeps and ends sessions. */
export function registerSessions(app: FastifyInstance, service: OrsService): void {
  const { docs, host, parse, sessionIds, features } = service;
  type Act = (request: FastifyRequest, reply: FastifyReply) => unknown;
  const post = (url: string, described: RouteDocs, act: Act) =>
    app.post(url, described, async (request, reply) => {
      const result = await act(request, reply);
      await service.streams.batch.end();
      return result;
    });

  post('/create_session', docs.createSession, (request, reply) => {
    requireJson(request);
    reply.headers(features);
    const sid = sessionIds.issue(identityOf(request).id, readOptionalTaskId(request));
    if (!prefersEventStream(request.headers.accept)) return { sid };
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
    return encodeTaskId(sid) + encodeSmallResult(JSON.stringify({ sid }));
  });

  post(CREATE_ROUTE, docs.create, async (request, reply) => {
    const ref = readSessionRef(request);
    const wanted = readCreate(parse(request), readSecretsHeader(request.headers));
    const bytes = parsedBytes(request.body as string) + (request.headers[SECRETS_HEADER]?.length ?? 0);
    const environment = wanted.environment ?? meantEnvironment(service, request.headers);
    const isWanted = () => !reply.raw.destroyed;
    await host.create(ref, { ...wanted, environment, bytes, trace: service.traceOf?.(request) }, isWanted);
    sessionIds.use(ref);
    reply.headers(features);
    return { sid: ref.sid };
  });

  post('/ping', docs.ping, async (request, reply) => {
    const state = await host.touch(readBareRef(request));
    if (!isAbsent(state)) return { status: 'ok' };
    // One status for all reasons, so the body has to tell them apart.
    const { code, message } = state;
    request.tiltyardCode = code;
    reply.code(404);
    return { detail: message, code } satisfies ErrorBody;
  });

  post('/delete', docs.delete, async (request) => {
    const ref = readBareRef(request);
    await host.end(ref);
    return { sid: ref.sid };
  });

  // Takes any id, so that a client can clean up without knowing how far it got.
  post('/delete_session', docs.deleteSession, async (request) => {
    const ref = readBareRef(request);
    sessionIds.use(ref);
    await host.end(ref).catch((error) => {
      if (!(error instanceof TiltyardError && error.code === 'session_not_found')) throw error;
    });
    return { sid: ref.sid };
  });
}

/** The session of a request whose body is not read. */
function readBareRef(request: FastifyRequest): SessionRef {
  const ref = readSessionRef(request);
  requireJson(request);
  return ref;
}
