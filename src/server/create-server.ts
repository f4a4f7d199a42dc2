import type { FastifyInstance } from 'fastify';
import { keepTickShape, type Limits, toLimits } from '../core/index.ts';
import { MemoryBudget } from '../sessions/index.ts';
import { addFastCalls } from './fast-calls.ts';
import { openFrontDesk } from './http/front-desk.ts';
import { HttpServers } from './http/http-servers.ts';
import { logLimits, toNodeOptions } from './http/limits.ts';
import { makeApp } from './http/make-app.ts';
import { endConnections } from './http/shutdown.ts';
import { Transfers } from './http/transfers.ts';
import type { EventLog } from './observe/event-log.ts';
import { serverLogger } from './observe/logger.ts';
import { RequestCounts } from './observe/request-counts.ts';
import { toSessionLimits, warnOfTighterLimit } from './observe/session-limits.ts';
import { observeServer } from './observe-server.ts';
import { startParts } from './optional-parts.ts';
import { serveProtocols, toContents } from './protocols.ts';
import { type Server, toServer } from './running-server.ts';
import { toServedNames } from './served-names.ts';
import { assertServerOptions, type ServerOptions } from './server-options.ts';

/** Makes a server; mistakes in the definitions are reported here. */
export async function createServer(options: ServerOptions): Promise<Server> {
  assertServerOptions(options);
  keepTickShape();
  const limits = toLimits(options.limits);
  const servers = new HttpServers(toNodeOptions(limits));
  const { logger, eventsOf } = serverLogger(options.logger ?? { level: 'warn' });
  const app = makeApp({ servers, limits, logger });
  try {
    return await prepare(app, { options, limits, servers, events: eventsOf(app) });
  } catch (thrown) {
    // What it holds already, such as workers, a journal or the buffers of its log, would stay for ever.
    await app.close();
    throw thrown;
  }
}

interface Plan {
  readonly options: ServerOptions;
  readonly limits: Limits;
  readonly servers: HttpServers;
  readonly events: EventLog;
}

// The order of these steps is the order of their hooks: when the app closes, what was started first ends last.
async function prepare(app: FastifyInstance, { options, limits, servers, events }: Plan): Promise<Server> {
  const parts = await startParts(app, options, limits);
  const { recorder, durability } = parts;
  const seen = { options, limits, events, counts: new RequestCounts() };
  const contents = toContents(options, parts);
  const { hasEnvironments } = contents;
  const sessionLimits = hasEnvironments ? toSessionLimits(limits, options.auth) : undefined;
  const transfers = new Transfers(new MemoryBudget(limits), app.log);
  const { guard, fastPath } = openFrontDesk(app, {
    ...seen,
    hasEnvironments,
    servers,
    instanceId: durability?.instance,
  });
  const { observation, numbers, metrics, watchdog } = observeServer(app, { ...seen, sessionLimits, transfers, parts });
  const shared = { observation, transfers };
  const protocols = await serveProtocols(app, options, { ...parts, contents, shared, metrics });
  const { ors, oxp } = protocols;
  const environments = ors?.host.manifest.environments ?? [];
  const served = toServedNames(environments, oxp?.host.tools ?? []);
  if (ors !== undefined) recorder?.describe(ors.host.manifest);
  numbers.expect(environments.map(({ name }) => name));
  await app.register(endConnections, { servers, noticeMs: limits.noticeMs, closeMs: limits.closeMs });
  await app.ready();
  await durability?.recover(ors?.host);
  addFastCalls(fastPath, protocols, seen.counts);
  logLimits(app.log, limits, ['server', 'environments', 'toolkits', 'both']);
  if (sessionLimits !== undefined) warnOfTighterLimit(app.log, sessionLimits, options.limits ?? {});
  // Before now nobody was kept waiting.
  watchdog?.watch();
  return toServer(app, { servers, limits, guard, served, environments });
}
