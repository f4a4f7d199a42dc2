import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import { assertMayUse } from '../ors/scopes.ts';
import { type EventFeed, MAX_LISTENERS } from './event-feed.ts';
import type { Interest } from './listener.ts';

/** Registers GET /events; not for agents, whom it would tell of others. */
export function registerEvents(app: FastifyInstance, docs: RouteDocs, feed: EventFeed): void {
  app.addHook('preClose', async () => feed.close());
  refuseOtherMethods(app, () => {
    // A HEAD request would wait for ever.
    app.get('/events', { ...docs, exposeHeadRoute: false }, async (request, reply) => {
      const identity = identityOf(request);
      // Asked here, because a server of toolkits alone asks nowhere else.
      assertMayUse(identity, 'GET', '/events');
      const interest = toInterest(request, identity);
      if (!feed.makeRoom(identity.id))
        throw new TiltyardError('too_many_calls', `${MAX_LISTENERS} connections listen to events already: end one`);
      begin(reply);
      feed.listen(reply.raw, interest);
    });
  });
}

function toInterest({ query }: FastifyRequest, { id, scopes }: Identity): Interest {
  const { session, content } = query as Partial<Record<string, unknown>>;
  if (session !== undefined && typeof session !== 'string')
    throw new TiltyardError('bad_request', "'session' must be the id of one session");
  if (content !== undefined && content !== '0' && content !== '1')
    throw new TiltyardError('bad_request', "'content' must be 0 or 1");
  // To anybody but its own identity a session does not exist, unless somebody was allowed to see all of them.
  return {
    caller: id,
    identity: scopes?.has('events') === true ? undefined : id,
    sid: session,
    content: content === '1',
  };
}

function begin(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
}
