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

/** What is loaded and started only where it is asked for; undefined where it is not. */
export interface OptionalParts {
  /** Records all episodes. */
  readonly recorder: Recorder | undefined;
  /** Tells of sessions and calls while they happen. */
  readonly feed: EventFeed | undefined;
  /** The processes that run authors' code; without them, it runs in this one. */
  readonly workers: ServerWorkers | undefined;
  /** What outlives a process: there with workers, a journal or a cluster. */
  readonly durability: AnyDurability | undefined;
}

/** A journal of its own, or that of a cluster. */
export type AnyDurability = ServerDurability & Partial<Pick<ServerCluster, 'around' | 'numbers'>>;

/** Starts them one after the other. The app closes them in reverse order: episodes are recorded to their end. */
export async function startParts(app: FastifyInstance, options: ServerOptions, limits: Limits): Promise<OptionalParts> {
  const recorder = await recorderOf(app, options);
  const feed = await feedOf(options);
  const workers = await workersOf(app, options, limits);
  const durability = await durabilityOf(app, options, limits);
  return { recorder, feed, workers, durability };
}

async function recorderOf(
  app: FastifyInstance,
  { record, returnErrors = 'exception' }: ServerOptions,
): Promise<Recorder | undefined> {
  if (record === undefined) return undefined;
  const { startRecording } = await import('./recording/server-recording.ts');
  return startRecording(app, record, returnErrors);
}

async function feedOf({ events, returnErrors = 'exception' }: ServerOptions): Promise<EventFeed | undefined> {
  if (events !== true) return undefined;
  const { EventFeed } = await import('./events/event-feed.ts');
  return new EventFeed(returnErrors);
}

async function workersOf(
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
  });
}

async function durabilityOf(
  app: FastifyInstance,
  { workers, journal, cluster }: ServerOptions,
  limits: Limits,
): Promise<AnyDurability | undefined> {
  const isKept = workers !== undefined && workers.keepsEpisodes !== false;
  if (!isKept && journal === undefined && cluster === undefined) return undefined;
  if (cluster !== undefined) {
    const { serverCluster } = await import('./cluster/server-cluster.ts');
    return serverCluster(app, cluster, limits);
  }
  const { serverDurability } = await import('./durable/server-journal.ts');
  return serverDurability(app, journal, limits);
}

/**
 * Runs the episodes of modules in a process of their own, without a server.
 * @internal For the command.
 */
export async function startModuleRuntime(workers: WorkersOption, limits: Limits): Promise<ModuleRuntime> {
  const runtime = await import('./workers/module-runtime.ts');
  return runtime.startModuleRuntime(workers, limits);
}

/** What speaks MCP, for what a server has; undefined where nobody asks for it. */
export async function mcpOf(
  app: FastifyInstance,
  { mcp: option = false, limits, returnErrors = 'exception' }: ServerOptions,
  parts: Pick<McpParts, 'ors' | 'oxp' | 'transfers'>,
): Promise<ServerMcp | undefined> {
  if (option === false) return undefined;
  const { startMcp } = await import('./mcp/server-mcp.ts');
  return startMcp(option, { ...parts, parse: jsonParser(toLimits(limits)), returnErrors, log: app.log });
}
