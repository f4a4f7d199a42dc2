import type { FastifyInstance } from 'fastify';
import { identityOf } from '../auth/identify.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import { assertMayUse } from '../ors/scopes.ts';
import type { Metrics } from './metrics.ts';

/** Registers /metrics; not for agents, whom it would tell of others. */
export function registerMetrics(app: FastifyInstance, docs: RouteDocs, metrics: Metrics): void {
  app.addHook('onReady', async () => metrics.start());
  app.addHook('onClose', async () => metrics.close());
  refuseOtherMethods(app, () => {
    app.get('/metrics', docs, async (request, reply) => {
      // Asked here, because a server of toolkits alone asks nowhere else.
      assertMayUse(identityOf(request), 'GET', '/metrics');
      return reply.type(metrics.contentType).send(await metrics.read());
    });
  });
}
