import type { FastifyInstance } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { identityOf } from '../auth/identify.ts';
import { hasScope, type Identity, type OrsScope } from '../auth/identity.ts';

// What an agent may do: act in the session it was given, and see what there is. Tasks are not among it: they hold the
// answers. A list of what is allowed, so that a new route is closed to agents until somebody opens it.
const AGENT_ROUTES = new Set([
  '/',
  '/list_environments',
  '/version',
  '/openapi.json',
  '/ping',
  '/:env/tools',
  '/:env/splits',
  '/:env/num_tasks',
  '/:env/prompt',
  '/:env/task_tools',
  '/:env/call',
  // These only say where the real ones are.
  '/tools',
  '/splits',
  '/num_tasks',
  '/prompt',
  '/task_tools',
  '/call',
]);

/** What a server's routes ask for; `metrics` is for a scraper, which has no business with environments, and `events`
 * for somebody who watches the sessions of all identities. */
export type RouteScope = OrsScope | 'metrics' | 'events';

/** The scopes of which a caller needs one for a route. */
export function scopesFor(route: string): readonly RouteScope[] {
  if (route === '/metrics') return ['orchestrator', 'metrics'];
  if (route === '/events') return ['orchestrator', 'events'];
  return AGENT_ROUTES.has(route) ? ['orchestrator', 'agent'] : ['orchestrator'];
}

/** Throws if a caller may not use a route. */
export function assertMayUse(identity: Identity, method: string, route: string): void {
  const scopes = scopesFor(route);
  if (scopes.some((scope) => hasScope(identity, scope))) return;
  const needed = scopes.map((scope) => `'${scope}'`).join(' or ');
  throw new TiltyardError('forbidden', `you may not use ${method} ${route}: it needs the scope ${needed}`);
}

/** Whether a caller may call tools. */
export function mayCall(identity: Identity): boolean {
  return scopesFor('/:env/call').some((scope) => hasScope(identity, scope));
}

/** Lets orchestrators do everything, agents what agents need, and scrapers see the metrics. */
export function enforceScopes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const identity = identityOf(request);
    if (identity.scopes === undefined) return done();
    const route = request.routeOptions.url?.slice(app.prefix.length) ?? '';
    if (route !== '/health') assertMayUse(identity, request.method, route);
    done();
  });
}
