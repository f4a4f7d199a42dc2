import type { FastifyInstance } from 'fastify';
import { TiltyardError } from '../core/index.ts';
import { hasScope } from './auth.ts';
import { identityOf } from './identity.ts';

// What an agent may do: act in the session it was given, and see what there is. Tasks are not among it: they hold the
// answers. A list of what is allowed, so that a new route is closed to agents until somebody opens it.
const AGENT_ROUTES = new Set([
  '/list_environments',
  '/version',
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

/** Lets orchestrators do everything and agents what agents need. */
export function enforceScopes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const identity = identityOf(request);
    if (identity.scopes === undefined || hasScope(identity, 'orchestrator')) return done();
    const route = request.routeOptions.url?.slice(app.prefix.length) ?? '';
    if (route === '/health' || (hasScope(identity, 'agent') && AGENT_ROUTES.has(route))) return done();
    done(
      new TiltyardError(
        'forbidden',
        `this key may not use ${request.method} ${route}: it needs the scope 'orchestrator'`,
      ),
    );
  });
}
