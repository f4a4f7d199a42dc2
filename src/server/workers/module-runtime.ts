import { type Limits, silent } from '../../core/index.ts';
import type { EpisodeRuntime } from '../../sessions/index.ts';
import { WorkerRuntime } from '../../workers/index.ts';
import type { WorkersOption } from './option.ts';
import { startPool } from './server-workers.ts';

/** Episodes of modules in a process of their own, without a server. Disposing of it ends the process. */
export interface ModuleRuntime extends EpisodeRuntime, AsyncDisposable {}

/** Starts a process that runs the episodes of modules. */
export async function startModuleRuntime(workers: WorkersOption, limits: Limits): Promise<ModuleRuntime> {
  const lenient = { environments: true, toolkits: false };
  const plan = { workers, limits, lenient, callsAfterFinish: undefined, watchdog: undefined };
  const pool = await startPool(plan, silent, 'silent');
  return Object.assign(new WorkerRuntime(pool, limits), { [Symbol.asyncDispose]: () => pool.close() });
}
