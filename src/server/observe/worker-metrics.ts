import { type Published, publishCounter, publishGauge } from './publish.ts';

/** What there is to know of the processes that run authors' code. */
export interface WorkerNumbers {
  /** How many run and take episodes. */
  readonly size: number;
  /** How often one has ended by itself, and how. */
  readonly deaths: ReadonlyMap<string, number>;
}

/** How many workers there are, and how often one was lost. */
export function workerMetrics(workers: WorkerNumbers): Published {
  return {
    publish(registry) {
      publishGauge(registry, {
        name: 'tiltyard_workers',
        help: 'Worker processes that are running.',
        read: () => workers.size,
      });
      publishCounter(registry, {
        name: 'tiltyard_worker_deaths_total',
        help: 'Worker processes that ended while the server was running. Durable episodes continue in another one; the others are lost.',
        labelNames: ['reason'],
        read: () => Array.from(workers.deaths, ([reason, count]) => [{ reason }, count]),
      });
    },
  };
}
