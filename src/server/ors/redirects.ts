import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT_ACTIONS } from '../../protocol/index.ts';
import { identityOf } from '../auth/identify.ts';
import { findSid } from '../http/headers.ts';
import { meantEnvironment } from './deployment.ts';
import type { OrsService } from './service.ts';

// Actions on a session: a client that has one means the session's environment.
const SESSION_ACTIONS = new Set(['call', 'prompt', 'task_tools']);

/** Sends a request to the environment that it means: that of its session, that of its X-Deployment, or the first. */
export type Redirect = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Makes the redirect of an action; `prefix` is where the routes are mounted. */
export function redirectTo(action: string, service: OrsService, prefix: string): Redirect {
  return async (request, reply) => {
    const sid = SESSION_ACTIONS.has(action) ? findSid(request.headers) : undefined;
    const state = sid === undefined ? undefined : await service.host.touch({ identity: identityOf(request).id, sid });
    const isLive = state !== undefined && 'environment' in state;
    return redirect(request, reply, {
      prefix,
      environment: isLive ? state.environment : meantEnvironment(service, request.headers),
    });
  };
}

/** Sends paths that name no environment to the one they mean: many clients never name one. */
export function registerRedirects(app: FastifyInstance, service: OrsService, omitted: readonly string[]): void {
  const { prefix } = app;
  for (const action of ENVIRONMENT_ACTIONS) {
    if (!omitted.includes(action)) app.all(`/${action}`, redirectTo(action, service, prefix));
  }
  if (service.host.manifest.environments.length > 1) return;
  const { name } = service.environment();
  app.all<{ Params: { path: string } }>('/:path', async (request, reply) => {
    const path = request.params.path.toLowerCase();
    // Neither leads anywhere from there: a server has a page of its own at /, and what it is in an app of somebody's is theirs.
    if (path === '' || path === name) return reply.callNotFound();
    return redirect(request as FastifyRequest, reply, { prefix, environment: name });
  });
}

function redirect(
  request: FastifyRequest,
  reply: FastifyReply,
  { prefix, environment }: { prefix: string; environment: string },
): FastifyReply {
  // A client may ask for a whole URL, as for a proxy; the router looks only at its path, too.
  const path = request.url.replace(/^https?:\/\/[^/?]*/i, '');
  // Always a path of this server: the name comes first, so no URL of the client's can begin the target.
  return reply.redirect(`${toAscii(prefix)}/${encodeURIComponent(environment)}${without(prefix, path)}`, 308);
}

// Counted in parts, not in characters: the router compares decoded paths, and `/%61rena` is as good as `/arena`.
function without(prefix: string, path: string): string {
  let end = 0;
  for (const character of prefix) if (character === '/') end = path.indexOf('/', end + 1);
  return path.slice(end);
}

function toAscii(prefix: string): string {
  return prefix.replace(/[^!-~]+/g, encodeURIComponent);
}
