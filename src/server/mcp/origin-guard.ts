import type { FastifyInstance } from 'fastify';
import { listensLocally, WebGuard, type WebOptions } from '../http/web-guard.ts';

/** Keeps web pages of others out, also where there is auth: MCP asks for that, and agents' programs are no web pages. */
export function guardOrigins(app: FastifyInstance, { allowHosts = [], allowOrigins }: WebOptions): void {
  const isLocal = () => listensLocally(app);
  // A server that others reach has names that nobody has told it.
  const hosts = [...allowHosts, '*'];
  const strict = new WebGuard({ allowHosts, ...(allowOrigins && { allowOrigins }) }, isLocal);
  const lenient = new WebGuard({ allowHosts: hosts, ...(allowOrigins && { allowOrigins }) }, isLocal);
  app.addHook('onRequest', (request, reply, done) => {
    const guard = isLocal() ? strict : lenient;
    if (!guard.take(request, reply)) done();
  });
}
