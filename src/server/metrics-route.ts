import type { FastifyInstance } from 'fastify';
import { TiltyardError } from '../core/index.ts';
import { hasScope } from './auth/identity.ts';
import { identityOf } from './identity.ts';
import { refuseOtherMethods } from './methods.ts';
import type { Metrics } from './metrics.ts';
import type { RouteDocs } from './openapi/operation.ts';

/** Registers /metrics; not for agents, whom it would tell of others. */
export function registerMetrics(app: FastifyInstance, docs: RouteDocs, metrics: Metrics): void {
  app.addHook('onClose', async () => metrics.close());
  refuseOtherMethods(app, () => {
    app.get('/metrics', docs, async (request, reply) => {
      if (!hasScope(identityOf(request), 'orchestrator'))
        throw new TiltyardError('forbidden', "you may not use GET /metrics: it needs the scope 'orchestrator'");
      return reply.type(metrics.contentType).send(await metrics.read());
    });
  });
}
