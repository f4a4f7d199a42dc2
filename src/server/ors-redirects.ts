import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT_ACTIONS } from '../protocol/index.ts';
import { findSid } from './headers.ts';
import { sessionKeyOf } from './identity.ts';
import type { OrsFace } from './ors.ts';

// Actions on a session: a client that has one means the session's environment.
const SESSION_ACTIONS = new Set(['call', 'prompt', 'task_tools']);

/** Sends paths that name no environment to the one they mean: many clients never name one. */
export function registerRedirects(app: FastifyInstance, { catalog, host }: OrsFace): void {
  const redirect = (request: FastifyRequest, reply: FastifyReply, environment: string) => {
    // A client may ask for a whole URL, as for a proxy; the router looks only at its path, too.
    const path = request.url.replace(/^https?:\/\/[^/?]*/i, '');
    // Always a path of this server: the name comes first, so no URL of the client's can begin the target.
    const target = `${app.prefix}/${encodeURIComponent(environment)}${path.slice(app.prefix.length)}`;
    return reply.redirect(target, 308);
  };
  for (const action of ENVIRONMENT_ACTIONS) {
    app.all(`/${action}`, async (request, reply) => {
      const sid = SESSION_ACTIONS.has(action) ? findSid(request.headers) : undefined;
      const key = sid === undefined ? undefined : sessionKeyOf(request, sid);
      const known = key !== undefined && host.touch(key);
      return redirect(request, reply, known ? await host.environmentOf(key) : catalog.first.name);
    });
  }
  if (catalog.environments.length > 1) return;
  app.all<{ Params: { path: string } }>('/:path', async (request, reply) => {
    if (request.params.path.toLowerCase() === catalog.first.name) return reply.callNotFound();
    return redirect(request as FastifyRequest, reply, catalog.first.name);
  });
}
