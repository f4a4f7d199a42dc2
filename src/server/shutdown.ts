import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

// A connection that was busy when the server began to stop is kept for the next request unless somebody looks again.
const LOOK_AGAIN_MS = 20;

/** Ends the connections of a stopping server. Register it last: it begins when what was registered before has ended. */
export async function endConnections(app: FastifyInstance, { closeMs }: { readonly closeMs: number }): Promise<void> {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  let idle: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    idle = setInterval(() => app.server.closeIdleConnections(), LOOK_AGAIN_MS);
    // Clients connect in advance, and Node takes a connection on which nothing has come yet for a busy one.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    // Some clients never read on, or never send the rest of their request.
    limit = setTimeout(() => app.server.closeAllConnections(), closeMs);
  });
  app.addHook('onClose', async () => {
    clearInterval(idle);
    clearTimeout(limit);
  });
}
