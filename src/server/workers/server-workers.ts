import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Limits, Log } from '../../core/index.ts';
import { SecondChanceTools } from '../../durable/index.ts';
import { DEFAULT_SESSION_OPTIONS, Toolbox } from '../../sessions/index.ts';
import {
  LOG_LEVELS,
  type LogLevel,
  type WorkerPlan,
  WorkerPool,
  WorkerRuntime,
  WorkerToolRuntime,
} from '../../workers/index.ts';
import type { Observation } from '../observe/observation.ts';
import type { LineOutput } from '../observe/watchdog/lines.ts';
import { STANDARD_ERROR } from '../observe/watchdog/server-watchdog.ts';
import type { OrsOptions } from '../ors/service.ts';
import type { MakeCallKeeper, OxpOptions } from '../oxp/service.ts';
import type { WorkersOption } from './option.ts';

/** What of a server's options its workers need to know. */
export interface WorkersPlan {
  readonly workers: WorkersOption;
  readonly limits: Limits;
  readonly lenient: WorkerPlan['lenient'];
  readonly callsAfterFinish: WorkerPlan['callsAfterFinish'] | undefined;
  /** Where the server's own watchdog writes; undefined: there is none. */
  readonly watchdog: LineOutput | undefined;
}

/** The workers of a server, and what runs its code in them. */
export interface ServerWorkers {
  readonly pool: WorkerPool;
  readonly hasEnvironments: boolean;
  readonly hasToolkits: boolean;
  /** As the options of the protocols have them. */
  sessionRuntime(traceOf: Observation['traceOfCode']): NonNullable<OrsOptions['runtime']>;
  toolHost(traceOf: Observation['traceOfCode'], keeper: MakeCallKeeper | undefined): NonNullable<OxpOptions['host']>;
}

/** Starts the workers of a server, which end when it closes. */
export async function startWorkers(app: FastifyInstance, plan: WorkersPlan): Promise<ServerWorkers> {
  const pool = await startPool(plan, app.log, toLogLevel(app.log.level));
  const { limits } = plan;
  // Before any other such hook is added, and so after all of them: teardowns run in the workers.
  app.addHook('onClose', () => pool.close());
  const { contents } = pool;
  return {
    pool,
    hasEnvironments: contents.manifest !== undefined,
    hasToolkits: contents.tools.length > 0,
    sessionRuntime: (traceOf) => () => new WorkerRuntime(pool, { ...limits, traceOf }),
    toolHost: (traceOf, keeper) => (options) => {
      const runtime = new SecondChanceTools(new WorkerToolRuntime(pool, { ...limits, traceOf }));
      return new Toolbox(runtime, options, keeper?.(runtime));
    },
  };
}

/** Starts the processes of a plan. */
export function startPool(plan: WorkersPlan, log: Log, logLevel: LogLevel): Promise<WorkerPool> {
  const { modules, count = availableParallelism(), loader, onImport, output, signal, maxPauseMs } = plan.workers;
  const { limits, lenient, watchdog, callsAfterFinish = DEFAULT_SESSION_OPTIONS.callsAfterFinish } = plan;
  return WorkerPool.start({
    count,
    ...program(),
    log,
    watchdogFd: watchdog?.fd ?? STANDARD_ERROR,
    onImport,
    output,
    signal,
    maxPauseMs,
    plan: {
      modules: modules.map(toPath),
      loader,
      tellsImports: onImport !== undefined,
      limits,
      lenient,
      callsAfterFinish,
      watchdog,
      logLevel,
    },
  });
}

/** What a worker's process runs, and how. */
export function program(): { readonly entry: string; readonly execArgv: readonly string[] } {
  const extension = extname(import.meta.url);
  const entry = fileURLToPath(new URL(`./process${extension}`, import.meta.url));
  // A debugger listens on one port, which is the server's.
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'));
  if (extension !== '.ts') return { entry, execArgv: inherited };
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { entry, execArgv: [...inherited, '--conditions=tiltyard-source', '--import', tsx] };
}

function toPath(module: string | URL): string {
  const isUrl = module instanceof URL || module.startsWith('file:');
  return isUrl ? fileURLToPath(module) : resolve(module);
}

function toLogLevel(level: string): LogLevel {
  if (level === 'trace') return 'debug';
  if (level === 'fatal') return 'error';
  return LOG_LEVELS.find((each) => each === level) ?? 'debug';
}
