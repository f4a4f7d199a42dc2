import type { FastifyInstance } from 'fastify';
import { DefinitionError } from '../core/index.ts';
import { registerHealth } from './http/health.ts';
import type { HomeContents } from './http/home.ts';
import { refuseOtherMethods } from './http/methods.ts';
import type { Metrics } from './observe/metrics.ts';
import { collectRoutes, openApiDocument } from './openapi/document.ts';
import { mcpOf, type OptionalParts } from './optional-parts.ts';
import { redirectTools } from './ors/deployment.ts';
import { serveOrs } from './ors/plugin.ts';
import { redirectTo } from './ors/redirects.ts';
import { type OrsService, toOrsService } from './ors/service.ts';
import { serveOxp } from './oxp/plugin.ts';
import { type OxpService, toOxpService } from './oxp/service.ts';
import type { ServerOptions } from './server-options.ts';
import { registerServerRoutes } from './server-routes.ts';
import type { SharedParts } from './shared-parts.ts';

/** What a server has, and so which protocols it speaks. */
export interface Contents {
  readonly hasEnvironments: boolean;
  readonly hasToolkits: boolean;
}

/** What there is: here, in workers, or in a host of somebody's own. Refuses what cannot be served. */
export function toContents(options: ServerOptions, { workers }: Pick<OptionalParts, 'workers'>): Contents {
  const { environments = [], toolkits = [], host, cluster } = options;
  const hasEnvironments = workers?.hasEnvironments ?? (host !== undefined || environments.length > 0);
  const hasToolkits = workers?.hasToolkits ?? toolkits.length > 0;
  if (!hasEnvironments && !hasToolkits)
    throw new DefinitionError('there is nothing to serve. Give at least one environment or toolkit');
  // A repeat may reach any server, and only the first one would know its `call_id`.
  if (hasToolkits && cluster !== undefined)
    throw new DefinitionError(
      'a cluster shares sessions, and not calls of toolkits: serve those from another server, with a journal',
    );
  return { hasEnvironments, hasToolkits };
}

/** What the protocols of a server need of it. */
export interface ProtocolParts extends Pick<OptionalParts, 'feed' | 'workers' | 'durability'> {
  readonly contents: Contents;
  readonly shared: Required<SharedParts>;
  readonly metrics: Metrics | undefined;
}

/** The protocols of a server; undefined where it has nothing to serve over one. */
export interface ServedProtocols {
  readonly ors: OrsService | undefined;
  readonly oxp: OxpService | undefined;
}

/** Registers the routes of all protocols that have something to serve. */
export async function serveProtocols(
  app: FastifyInstance,
  options: ServerOptions,
  parts: ProtocolParts,
): Promise<ServedProtocols> {
  const { shared, metrics, feed } = parts;
  const routes = collectRoutes(app);
  const [ors, oxp] = [orsOf(app, options, parts), oxpOf(app, options, parts)];
  const has: HomeContents = {
    ...(ors && { environments: ors.host.manifest.environments.map(({ name }) => name) }),
    ...(oxp && { tools: '/tools' }),
  };
  const own = { has, describe: () => openApiDocument(routes, options.auth), metrics, feed };
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
      await registerServerRoutes(scope, oxp.docs, own);
    });
  }
  if (ors !== undefined) {
    await app.register(async (scope) => {
      // With toolkits, these two paths are OXP's.
      serveOrs(scope, ors, oxp === undefined ? [] : ['tools', 'call']);
      mcp?.serveHandles(scope, ors);
      await registerServerRoutes(scope, ors.docs, own);
    });
  }
  if (mcp !== undefined) await app.register(async (scope) => mcp.serve(scope, options));
  return { ors, oxp };
}

function orsOf(
  app: FastifyInstance,
  options: ServerOptions,
  { contents, shared, workers, durability }: ProtocolParts,
): OrsService | undefined {
  if (!contents.hasEnvironments) return undefined;
  const orsOptions = {
    ...options,
    environments: options.environments ?? [],
    runtime: workers?.sessionRuntime(shared.observation.traceOfCode),
    keeper: durability?.keeper,
    around: durability?.around,
  };
  return toOrsService(app, orsOptions, shared);
}

function oxpOf(
  app: FastifyInstance,
  options: ServerOptions,
  { contents, shared, workers, durability }: ProtocolParts,
): OxpService | undefined {
  if (!contents.hasToolkits) return undefined;
  const { toolkits = [], auth, returnErrors = 'exception', limits = {}, sessions } = options;
  const host = workers?.toolHost(shared.observation.traceOfCode, durability?.callKeeper);
  const oxpOptions = {
    ...options.oxp,
    toolkits,
    auth,
    returnErrors,
    limits,
    observer: sessions?.observer,
    keeper: durability?.callKeeper,
    ...(host && { host }),
  };
  return toOxpService(app, oxpOptions, shared);
}
