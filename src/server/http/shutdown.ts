import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../../core/index.ts';
import type { HttpServers } from './http-servers.ts';
import { longestStopMs } from './limits.ts';

// A connection that was busy when the server began to stop is kept for the next request unless somebody looks again.
const LOOK_AGAIN_MS = 20;

/** Ends the connections of a stopping server. Register it last: it begins when what was registered before has ended. */
export async function endConnections(app: FastifyInstance, { servers, noticeMs, closeMs }: EndOptions): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    if (noticeMs > 0 && servers.isListening) await giveNotice(servers, noticeMs);
  });
  endIdleConnections(app, servers);
  app.addHook('preClose', async () => {
    servers.closeUnused();
    // Some clients never read on, or never send the rest of their request.
    limit = setTimeout(() => servers.closeAllConnections(), closeMs);
  });
  app.addHook('onClose', async () => {
    await servers.closeBeside(app.server);
    clearTimeout(limit);
  });
}

/** What a stopping server has, and how long it may take. */
export interface EndOptions extends Pick<Limits, 'noticeMs' | 'closeMs'> {
  readonly servers: HttpServers;
}

/**
 * Takes no new connections, and answers on those that there are, until they are gone or the time is over. A proxy in front
 * goes elsewhere when it is refused, but fails a request that it has sent on a connection which closes at that moment. To
 * all answers of a stopping server Fastify adds `Connection: close`, so it gives its idle connections up one by one.
 */
async function giveNotice(servers: HttpServers, noticeMs: number): Promise<void> {
  // The system resets connections that nobody has taken when the port closes; this takes those that came by now.
  await nextTurn();
  await nextTurn();
  await Promise.race([servers.refuseConnections(), pause(noticeMs, undefined, { ref: false })]);
}

/** What a mounted protocol does for an app of somebody else that stops: the rest is the app's. */
export function stopInApp(app: FastifyInstance, limits: Limits): void {
  endIdleConnections(app, app.server);
  const { pluginTimeout = 10_000 } = app.initialConfig;
  const neededMs = longestStopMs({ ...limits, noticeMs: 0, closeMs: 0 });
  if (pluginTimeout === 0 || pluginTimeout > neededMs) return;
  app.log.warn(
    { pluginTimeout, neededMs },
    `stopping may take ${neededMs} ms, but this app gives up after ${pluginTimeout}. Create it with Fastify({ pluginTimeout: 0 })`,
  );
}

/** Ends connections as they become idle, from the moment when the scope's own work has ended. */
function endIdleConnections(app: FastifyInstance, servers: Pick<HttpServers, 'closeIdleConnections'>): void {
  let idle: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    idle = setInterval(() => servers.closeIdleConnections(), LOOK_AGAIN_MS);
  });
  app.addHook('onClose', async () => clearInterval(idle));
}
