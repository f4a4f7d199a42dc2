import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../core/index.ts';
import { longestStopMs } from './limits.ts';

// A connection that was busy when the server began to stop is kept for the next request unless somebody looks again.
const LOOK_AGAIN_MS = 20;

/** Ends the connections of a stopping server. Register it last: it begins when what was registered before has ended. */
export async function endConnections(app: FastifyInstance, { closeMs }: { readonly closeMs: number }): Promise<void> {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  let limit: NodeJS.Timeout | undefined;
  endIdleConnections(app);
  app.addHook('preClose', async () => {
    // Clients connect in advance, and Node takes a connection on which nothing has come yet for a busy one.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    // Some clients never read on, or never send the rest of their request.
    limit = setTimeout(() => app.server.closeAllConnections(), closeMs);
  });
  app.addHook('onClose', async () => clearTimeout(limit));
}

/** What a face does for an app of somebody else that stops: the rest is the app's. */
export function stopInApp(app: FastifyInstance, limits: Limits): void {
  endIdleConnections(app);
  const { pluginTimeout = 10_000 } = app.initialConfig;
  const neededMs = longestStopMs({ ...limits, closeMs: 0 });
  if (pluginTimeout === 0 || pluginTimeout > neededMs) return;
  app.log.warn(
    { pluginTimeout, neededMs },
    `stopping may take ${neededMs} ms, and this app gives up after ${pluginTimeout}. Make it with Fastify({ pluginTimeout: 0 })`,
  );
}

/** Ends connections as they become idle, from the moment when the scope's own work has ended. */
function endIdleConnections(app: FastifyInstance): void {
  let idle: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    idle = setInterval(() => app.server.closeIdleConnections(), LOOK_AGAIN_MS);
  });
  app.addHook('onClose', async () => clearInterval(idle));
}
