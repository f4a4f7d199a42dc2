import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { encodeSmallResult, encodeTaskId } from '../../protocol/index.ts';
import { type SessionHost, sessionNotFound } from '../../sessions/index.ts';
import { identityOf, readSessionKey, sessionKeyOf } from '../auth/identify.ts';
import { readCreate, readOptionalTaskId } from '../http/bodies.ts';
import type { ErrorBody } from '../http/errors.ts';
import { prefersEventStream, readSecretsHeader, readSid } from '../http/headers.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import { deployedEnvironment } from './deployment.ts';
import type { OrsFace } from './plugin.ts';

/** Registers what begins, keeps and ends sessions. */
export function registerSessions(app: FastifyInstance, face: OrsFace): void {
  const {
    docs,
    host,
    parse,
    sids,
    features,
    streams: { turn },
  } = face;
  type Act = (request: FastifyRequest, reply: FastifyReply) => unknown;
  const post = (url: string, described: RouteDocs, act: Act) =>
    app.post(url, described, async (request, reply) => {
      const result = await act(request, reply);
      await turn.end();
      return result;
    });

  post('/create_session', docs.createSession, (request, reply) => {
    reply.headers(features);
    const sid = sids.issue(identityOf(request).id, readOptionalTaskId(request));
    if (!prefersEventStream(request.headers.accept)) return { sid };
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
    return encodeTaskId(sid) + encodeSmallResult(JSON.stringify({ sid }));
  });

  post('/create', docs.create, async (request, reply) => {
    const sid = readSid(request.headers);
    const key = sessionKeyOf(request, sid);
    const wanted = readCreate(parse(request), readSecretsHeader(request.headers));
    const environment = wanted.environment ?? deployedEnvironment(face.catalog, request.headers);
    await host.create(key, { ...wanted, environment, trace: face.traceOf?.(request) });
    sids.use(key);
    reply.headers(features);
    return { sid };
  });

  post('/ping', docs.ping, async (request, reply) => {
    const key = readSessionKey(request);
    if (host.touch(key)) return { status: 'ok' };
    reply.code(404);
    const absence = await absenceOf(host, key);
    request.tiltyardCode = absence.code;
    return absence;
  });

  post('/delete', docs.delete, async (request) => {
    const sid = readSid(request.headers);
    await host.delete(sessionKeyOf(request, sid));
    return { sid };
  });

  // Takes any id, so that a client can clean up without knowing how far it got.
  post('/delete_session', docs.deleteSession, async (request) => {
    const sid = readSid(request.headers);
    const key = sessionKeyOf(request, sid);
    sids.use(key);
    await host.delete(key).catch((error) => {
      if (!(error instanceof TiltyardError && error.code === 'session_not_found')) throw error;
    });
    return { sid };
  });
}

/** Why there is no session: a ping has one status for all reasons, so that the body has to tell them apart. */
async function absenceOf(host: SessionHost, key: string): Promise<ErrorBody> {
  try {
    await host.environmentOf(key);
  } catch (thrown) {
    if (thrown instanceof TiltyardError) return { detail: thrown.message, code: thrown.code };
    throw thrown;
  }
  // It has come meanwhile.
  const { message, code } = sessionNotFound(key);
  return { detail: message, code };
}
