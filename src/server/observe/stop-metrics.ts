import type { FastifyInstance } from 'fastify';
import { type Published, publishGauge } from './publish.ts';

/** Whether the server is stopping. */
export function stopMetrics(app: Pick<FastifyInstance, 'addHook'>): Published {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  return {
    publish(registry) {
      publishGauge(registry, {
        name: 'tiltyard_stopping',
        help: '1 while the server is stopping, otherwise 0.',
        read: () => (isStopping ? 1 : 0),
      });
    },
  };
}
