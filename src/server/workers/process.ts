import type { Log } from '../../core/index.ts';
import { combineObservers, surviveStrayErrors, unobserved } from '../../sessions/index.ts';
import { serveOrders, WATCHDOG_FD, type WorkerPlan } from '../../workers/index.ts';
import { Watchdog } from '../observe/watchdog/watchdog.ts';
import { workerTraces } from './worker-traces.ts';

// The program of a worker: what a server forks to run authors' code.

serveOrders({
  observe(plan, log) {
    const traces = workerTraces();
    const observers = [watchdogOf(plan, log), traces].filter((each) => each !== undefined);
    return { observer: observers.length === 0 ? unobserved : combineObservers(observers), around: traces?.around };
  },
  ready: surviveStrayErrors,
});

function watchdogOf({ watchdog, limits: { maxBlockMs } }: WorkerPlan, log: Log): Watchdog | undefined {
  if (watchdog === undefined || maxBlockMs === 0) return undefined;
  const watching = new Watchdog({ maxBlockMs, log, output: { ...watchdog, fd: WATCHDOG_FD } });
  watching.watch();
  return watching;
}
