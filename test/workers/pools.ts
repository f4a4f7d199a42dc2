import { onTestFinished } from 'vitest';
import { type Limits, type Log, silent, toLimits } from '../../src/core/index.ts';
import { program } from '../../src/server/workers/server-workers.ts';
import type { EpisodeStart, OpenEpisode, RunListener } from '../../src/sessions/index.ts';
import { WorkerPool } from '../../src/workers/index.ts';
import { MODULE } from './serve.ts';

/** What a pool of a test may have of its own. */
export interface PoolChanges {
  readonly log?: Log;
  readonly limits?: Partial<Limits>;
}

/** Workers with the module of the tests, until the test ends. */
export async function poolOf(count: number, { log = silent, limits = {} }: PoolChanges = {}): Promise<WorkerPool> {
  const pool = await WorkerPool.start({
    count,
    ...program(),
    log,
    watchdogFd: 2,
    plan: {
      modules: [MODULE],
      tellsImports: false,
      limits: toLimits(limits),
      lenient: { environments: true, toolkits: false },
      callsAfterFinish: 'allow',
      logLevel: 'silent',
      watchdog: undefined,
    },
  });
  onTestFinished(() => pool.close());
  return pool;
}

/** What an episode is made from. */
export function start(session: number): EpisodeStart {
  return { session, sid: `s${session}`, environment: 'rough', choice: { task: { id: 1 } }, secrets: {}, seed: 1 };
}

/** Runs a tool of an episode. */
export function run(episode: OpenEpisode, name: string, listener: Partial<RunListener> = {}): void {
  calls += 1;
  const request = { call: calls, id: `c${calls}`, attempt: 1, name, input: {} };
  episode.run(request, { accepted() {}, running() {}, ended() {}, ...listener });
}

let calls = 0;
