import type { FastifyInstance } from 'fastify';
import { DefinitionError } from '../core/index.ts';
import type { ServerDurability } from './durable/server-journal.ts';
import type { EventFeed } from './events/event-feed.ts';
import { registerHealth } from './http/health.ts';
import { refuseOtherMethods } from './http/methods.ts';
import type { Metrics } from './observe/metrics.ts';
import { registerMetrics } from './observe/metrics-route.ts';
import type { Observation } from './observe/observation.ts';
import { collectRoutes, openApiDocument, registerOpenApi } from './openapi/document.ts';
import type { RouteDocs } from './openapi/operation.ts';
import { type AnyDurability, mcpOf } from './optional-parts.ts';
import { redirectTools } from './ors/deployment.ts';
import { serveOrs } from './ors/plugin.ts';
import { redirectTo } from './ors/redirects.ts';
import { type OrsOptions, type OrsService, toOrsService } from './ors/service.ts';
import { serveOxp } from './oxp/plugin.ts';
import { type OxpOptions, type OxpService, toOxpService } from './oxp/service.ts';
import type { ServerOptions } from './server-options.ts';
import type { SharedParts } from './shared-parts.ts';
import type { ServerWorkers } from './workers/server-workers.ts';

/** Whether there are environments: here, in workers, or in a host of somebody's own. */
export function servesEnvironments(
  { environments = [], host }: ServerOptions,
  workers: ServerWorkers | undefined,
): boolean {
  return workers?.hasEnvironments ?? (host !== undefined || environments.length > 0);
}

/** What the protocols of a server need of it. */
export interface ProtocolParts {
  readonly shared: Required<SharedParts>;
  readonly metrics: Metrics | undefined;
  readonly feed: EventFeed | undefined;
  readonly workers: ServerWorkers | undefined;
  readonly durability: AnyDurability | undefined;
}

/** What was served. */
export interface Served {
  readonly ors: OrsService | undefined;
  readonly oxp: OxpService | undefined;
}

/** Registers the routes of all protocols that have something to serve. */
export async function serveProtocols(
  app: FastifyInstance,
  options: ServerOptions,
  { shared, metrics, feed, workers, durability }: ProtocolParts,
): Promise<Served> {
  const { environments = [], toolkits = [], auth, returnErrors = 'exception' } = options;
  const hasEnvironments = servesEnvironments(options, workers);
  const hasToolkits = workers?.hasToolkits ?? toolkits.length > 0;
  if (!hasEnvironments && !hasToolkits) {
    throw new DefinitionError('there is nothing to serve. Give at least one environment or toolkit');
  }
  // A repeat may reach any server, and only the first one would know its `call_id`.
  if (hasToolkits && options.cluster !== undefined)
    throw new DefinitionError(
      'a cluster shares sessions, and not calls of toolkits: serve those from another server, with a journal',
    );
  const routes = collectRoutes(app);
  const describe = () => openApiDocument(routes, auth);
  const hosts = workers && hostsIn(workers, shared.observation, durability);
  const orsOptions = {
    ...options,
    environments,
    keeper: durability?.keeper,
    around: durability?.around,
    ...hosts?.ors,
  };
  const ors = hasEnvironments ? toOrsService(app, orsOptions, shared) : undefined;
  const observer = options.sessions?.observer;
  const oxpOptions = {
    ...options.oxp,
    toolkits,
    auth,
    returnErrors,
    limits: options.limits ?? {},
    observer,
    keeper: durability?.callKeeper,
    ...hosts?.oxp,
  };
  const oxp = hasToolkits ? toOxpService(app, oxpOptions, shared) : undefined;
  const mcp = await mcpOf(app, options, { ors, oxp, transfers: shared.transfers });
  // Both begin to stop at once, and their own hooks wait for the end of it.
  app.addHook('preClose', async () => {
    void oxp?.host.drain();
    void ors?.host.drain();
  });
  if (oxp !== undefined) {
    await app.register(async (scope) => {
      if (ors !== undefined) redirectTools(scope, ors);
      serveOxp(scope, oxp, ors === undefined ? undefined : redirectTo('call', ors, ''));
      if (ors !== undefined) return;
      refuseOtherMethods(scope, () => registerHealth(scope, oxp.docs.health, () => oxp.host.isDraining));
      registerOpenApi(scope, oxp.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, oxp.docs.metrics, metrics);
      if (feed !== undefined) await serveEvents(scope, oxp.docs.events, feed);
    });
  }
  if (ors !== undefined) {
    // With toolkits, these two paths are OXP's.
    await app.register(async (scope) => {
      serveOrs(scope, ors, oxp === undefined ? [] : ['tools', 'call']);
      mcp?.serveHandles(scope, ors);
      registerOpenApi(scope, ors.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, ors.docs.metrics, metrics);
      if (feed !== undefined) await serveEvents(scope, ors.docs.events, feed);
    });
  }
  if (mcp !== undefined) await app.register(async (scope) => mcp.serve(scope, options));
  return { ors, oxp };
}

/** Loaded only where somebody may listen. */
async function serveEvents(scope: FastifyInstance, docs: RouteDocs, feed: EventFeed): Promise<void> {
  const { registerEvents } = await import('./events/route.ts');
  registerEvents(scope, docs, feed);
}

interface WorkerHosts {
  readonly ors: Pick<OrsOptions, 'host'>;
  readonly oxp: Pick<OxpOptions, 'host'>;
}

function hostsIn(
  workers: ServerWorkers,
  { traceOfCode }: Pick<Observation, 'traceOfCode'>,
  durability: ServerDurability | undefined,
): WorkerHosts {
  return {
    ors: { host: workers.sessionHost(traceOfCode, durability?.keeper) },
    oxp: { host: workers.toolHost(traceOfCode, durability?.callKeeper) },
  };
}
