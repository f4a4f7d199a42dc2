import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../core/index.ts';
import { encodeSmallResult, encodeTaskId } from '../protocol/index.ts';
import { sessionNotFound } from '../sessions/index.ts';
import { readCreate, readOptionalTaskId } from './bodies.ts';
import { prefersEventStream, readSecretsHeader, readSid } from './headers.ts';
import { readSessionKey, sessionKeyOf } from './identity.ts';
import type { OrsFace } from './ors.ts';

/** Registers what begins, keeps and ends sessions. */
export function registerSessions(app: FastifyInstance, face: OrsFace): void {
  const {
    host,
    parse,
    sids,
    features,
    streams: { turn },
  } = face;
  const post = (url: string, act: (request: FastifyRequest, reply: FastifyReply) => unknown) =>
    app.post(url, async (request, reply) => {
      const result = await act(request, reply);
      await turn.end();
      return result;
    });

  post('/create_session', (request, reply) => {
    reply.headers(features);
    const sid = sids.issue(readOptionalTaskId(request));
    if (!prefersEventStream(request.headers.accept)) return { sid };
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
    return encodeTaskId(sid) + encodeSmallResult(JSON.stringify({ sid }));
  });

  post('/create', async (request, reply) => {
    const sid = readSid(request.headers);
    await host.create(sessionKeyOf(request, sid), readCreate(parse(request), readSecretsHeader(request.headers)));
    sids.use(sid);
    reply.headers(features);
    return { sid };
  });

  post('/ping', async (request) => {
    const key = readSessionKey(request);
    if (!(await host.touch(key))) throw sessionNotFound(key);
    return { status: 'ok' };
  });

  post('/delete', async (request) => {
    const sid = readSid(request.headers);
    await host.delete(sessionKeyOf(request, sid));
    return { sid };
  });

  // Takes any id, so that a client can clean up without knowing how far it got.
  post('/delete_session', async (request) => {
    const sid = readSid(request.headers);
    sids.use(sid);
    await host.delete(sessionKeyOf(request, sid)).catch((error) => {
      if (!(error instanceof TiltyardError && error.code === 'session_not_found')) throw error;
    });
    return { sid };
  });
}
