import type { FastifyInstance } from 'fastify';
import type { RouteDocs } from '../openapi/operation.ts';

/** Registers /health: open to everybody, and 503 while the server stops, so that nobody sends it more. */
export function registerHealth(app: FastifyInstance, docs: RouteDocs, isStopping: () => boolean): void {
  app.get('/health', docs, async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'stopping', detail: 'the server is stopping' });
    return { status: 'ok' };
  });
}
