import type { FastifyInstance } from 'fastify';
import { DefinitionError, type Limits, toLimits } from '../core/index.ts';
import type { ServerCluster } from './cluster/server-cluster.ts';
import type { ServerDurability } from './durable/server-journal.ts';
import type { EventFeed } from './events/event-feed.ts';
import { jsonParser } from './http/bodies.ts';
import type { ServerMcp } from './mcp/server-mcp.ts';
import type { McpParts } from './mcp/service.ts';
import { toWatchdogOutput } from './observe/watchdog/server-watchdog.ts';
import type { Recorder } from './recording/recorder.ts';
import type { ServerOptions } from './server-options.ts';
import type { ModuleRuntime } from './workers/module-runtime.ts';
import type { WorkersOption } from './workers/option.ts';
import type { ServerWorkers } from './workers/server-workers.ts';

/** What records all episodes; undefined where nobody asks for it. */
export async function recorderOf(
  app: FastifyInstance,
  { record, returnErrors = 'exception' }: ServerOptions,
): Promise<Recorder | undefined> {
  if (record === undefined) return undefined;
  const { startRecording } = await import('./recording/server-recording.ts');
  try {
    return startRecording(app, record, returnErrors);
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** What tells of sessions and calls while they happen; undefined where nobody asks for it. */
export async function feedOf({ events, returnErrors = 'exception' }: ServerOptions): Promise<EventFeed | undefined> {
  if (events !== true) return undefined;
  const { EventFeed } = await import('./events/event-feed.ts');
  return new EventFeed(returnErrors);
}

/** What outlives a process; undefined where there is but one, and nothing is written down. */
export async function durabilityOf(
  app: FastifyInstance,
  { workers, journal, cluster }: ServerOptions,
  limits: Limits,
): Promise<AnyDurability | undefined> {
  const isKept = workers !== undefined && workers.keepsEpisodes !== false;
  if (!isKept && journal === undefined && cluster === undefined) return undefined;
  try {
    if (cluster !== undefined) {
      const { serverCluster } = await import('./cluster/server-cluster.ts');
      return await serverCluster(app, cluster, limits);
    }
    const { serverDurability } = await import('./durable/server-journal.ts');
    return await serverDurability(app, journal, limits);
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** What speaks MCP; undefined where nobody asks for it. */
export async function mcpOf(
  app: FastifyInstance,
  { mcp: option = false, limits, returnErrors = 'exception' }: ServerOptions,
  parts: Pick<McpParts, 'ors' | 'oxp' | 'transfers'>,
): Promise<ServerMcp | undefined> {
  if (option === false) return undefined;
  const { startMcp } = await import('./mcp/server-mcp.ts');
  return startMcp(option, { ...parts, parse: jsonParser(toLimits(limits)), returnErrors, log: app.log });
}

/** A journal of its own, or that of a cluster. */
export type AnyDurability = ServerDurability & Partial<Pick<ServerCluster, 'around' | 'numbers'>>;

/**
 * Runs the episodes of modules in a process of their own, without a server.
 * @internal For the command.
 */
export async function startModuleRuntime(workers: WorkersOption, limits: Limits): Promise<ModuleRuntime> {
  const runtime = await import('./workers/module-runtime.ts');
  return runtime.startModuleRuntime(workers, limits);
}

/** Starts the processes that run authors' code; undefined where it runs in this one. */
export async function workersOf(
  app: FastifyInstance,
  options: ServerOptions,
  limits: Limits,
): Promise<ServerWorkers | undefined> {
  const { workers, environments = [], toolkits = [], lenientInputs = true, watchdog, sessions, oxp } = options;
  if (workers === undefined) return undefined;
  if (environments.length > 0 || toolkits.length > 0) {
    throw new DefinitionError(
      'workers load their modules by themselves: give either them, or environments and toolkits',
    );
  }
  const { startWorkers } = await import('./workers/server-workers.ts');
  return startWorkers(app, {
    workers,
    limits,
    lenient: { environments: lenientInputs, toolkits: oxp?.lenientInputs ?? false },
    callsAfterFinish: sessions?.callsAfterFinish,
    watchdog: toWatchdogOutput(app, watchdog),
  }).catch(async (thrown) => {
    await app.close();
    throw thrown;
  });
}
