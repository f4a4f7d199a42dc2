import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { keepTickShape, toLimits } from '../core/index.ts';
import { MemoryBudget } from '../sessions/index.ts';
import { closeAfterUpgrade } from './http/client-errors.ts';
import { FastPath } from './http/fast-path.ts';
import { HttpServers } from './http/http-servers.ts';
import { newInstance } from './http/instance.ts';
import { logLimits, toNodeOptions } from './http/limits.ts';
import { requestTracker } from './http/request-tracker.ts';
import { endConnections } from './http/shutdown.ts';
import { Transfers } from './http/transfers.ts';
import { watchRequests } from './http/watch-requests.ts';
import { listensLocally, WebGuard } from './http/web-guard.ts';
import { serverLogger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Numbers } from './observe/numbers.ts';
import { observe } from './observe/observation.ts';
import { RequestCounts } from './observe/request-counts.ts';
import { toSessionLimits, warnOfTighterLimit } from './observe/session-limits.ts';
import { logStop } from './observe/stop-log.ts';
import { serverWatchdog } from './observe/watchdog/server-watchdog.ts';
import { durabilityOf, feedOf, recorderOf, workersOf } from './optional-parts.ts';
import { fastCall as fastOrsCall, CALL_ROUTE as ORS_CALL } from './ors/call.ts';
import { fastCall as fastOxpCall, CALL_ROUTE as OXP_CALL } from './oxp/call.ts';
import { serveProtocols, servesEnvironments } from './protocols.ts';
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
  const app = Fastify({
    logger,
    // One line a request is written below; the line at its arrival would double the cost.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would cost more than the request's line.
    childLoggerFactory: (logger) => logger,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handler) => servers.make(handler),
    // No limit of its own for a name in the path: an unknown environment is 404, however long.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.headerBytes },
    forceCloseConnections: 'idle',
    // Fastify's limit holds for hooks as well, and teardowns may take longer; they have limits of their own.
    pluginTimeout: 0,
    // While the server stops, each route knows best what to say, and says it in our form.
    return503OnClosing: false,
    // No hook runs before these.
    frameworkErrors: (error, request, reply) => {
      requests.begin(request.raw, reply.raw);
      closeAfterUpgrade(request as FastifyRequest, reply as FastifyReply);
      (reply as FastifyReply)
        .code(error.statusCode ?? 400)
        .headers(instance.headers)
        .send({ detail: error.message });
    },
    // Each of our servers answers what is not HTTP by itself.
    clientErrorHandler: () => {},
  });
  const recorder = await recorderOf(app, options);
  const feed = await feedOf(options);
  const workers = await workersOf(app, options, limits);
  const durability = await durabilityOf(app, options, limits);
  const events = eventsOf(app);
  const counts = new RequestCounts();
  const requests = requestTracker({ events, counts });
  const guard = new WebGuard(options, () => listensLocally(app));
  const instance = newInstance(durability?.instance);
  const fastPath = new FastPath({ bodyBytes: limits.bodyBytes, requests, guard, instance });
  app.addHook('preClose', async () => fastPath.close());
  servers.open({ requests, fastPath, instance });
  const hasEnvironments = servesEnvironments(options, workers);
  watchRequests(app, { options, hasEnvironments, requests, counts, guard, instance });
  const sessionLimits = hasEnvironments ? toSessionLimits(limits, options.auth) : undefined;
  const transfers = new Transfers(new MemoryBudget(limits), app.log);
  const numbers = new Numbers();
  logStop(app, numbers);
  const watchdog = serverWatchdog(app, options.watchdog, limits);
  const metrics =
    options.metrics === false
      ? undefined
      : new Metrics({
          numbers,
          requests: counts,
          limits: sessionLimits,
          memory: () => transfers.numbers,
          blocks: watchdog?.blocks,
          workers: workers?.pool,
          recording: recorder?.numbers,
          cluster: durability?.numbers,
        });
  app.addHook('preClose', async () => metrics?.stopping());
  const observation = observe(app, { events, numbers, watchdog, recorder, feed });
  const shared = { observation, transfers };
  const { ors, oxp } = await serveProtocols(app, options, { shared, metrics, feed, workers, durability }).catch(
    async (thrown) => {
      // What it holds already, such as the buffers of its log, would stay for ever.
      await app.close();
      throw thrown;
    },
  );
  if (ors !== undefined) recorder?.describe(ors.host.manifest);
  const environments = ors?.host.manifest.environments ?? [];
  metrics?.expect(environments.map(({ name }) => name));
  await app.register(endConnections, { servers, noticeMs: limits.noticeMs, closeMs: limits.closeMs });
  await app.ready();
  await durability?.recover(ors?.host);
  for (const { name } of environments)
    if (ors !== undefined) fastPath.add(`/${name}/call`, fastOrsCall(ors, name, counts.of(ORS_CALL)));
  if (oxp !== undefined) fastPath.add(OXP_CALL, fastOxpCall(oxp, counts.of(OXP_CALL)));
  logLimits(app.log, limits, ['server', 'environments', 'toolkits', 'both']);
  if (sessionLimits !== undefined) warnOfTighterLimit(app.log, sessionLimits, options.limits ?? {});
  const served = toServedNames(environments, oxp?.host.tools ?? []);
  // Before now nobody was kept waiting.
  watchdog?.watch();
  return toServer(app, { servers, limits, guard, served, environments });
}
