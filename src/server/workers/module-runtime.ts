import { type Limits, silent } from '../../core/index.ts';
import { DEFAULT_SESSION_OPTIONS, type EpisodeRuntime } from '../../sessions/index.ts';
import { WorkerPool, WorkerRuntime } from '../../workers/index.ts';
import { STANDARD_ERROR } from '../observe/watchdog/server-watchdog.ts';
import type { WorkersOption } from './option.ts';
import { program, toPath } from './server-workers.ts';

/** Episodes of modules in a process of their own, without a server. Disposing of it ends the process. */
export interface ModuleRuntime extends EpisodeRuntime, AsyncDisposable {}

/** Starts a process that runs the episodes of modules. */
export async function startModuleRuntime(
  { modules, loader, output, signal, maxPauseMs }: WorkersOption,
  limits: Limits,
): Promise<ModuleRuntime> {
  const pool = await WorkerPool.start({
    count: 1,
    ...program(),
    log: silent,
    watchdogFd: STANDARD_ERROR,
    output,
    signal,
    maxPauseMs,
    plan: {
      modules: modules.map(toPath),
      loader,
      tellsImports: false,
      limits,
      lenient: { environments: true, toolkits: false },
      callsAfterFinish: DEFAULT_SESSION_OPTIONS.callsAfterFinish,
      watchdog: undefined,
      logLevel: 'silent',
    },
  });
  return Object.assign(new WorkerRuntime(pool, limits), { [Symbol.asyncDispose]: () => pool.close() });
}
