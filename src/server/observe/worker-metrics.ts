import { Counter, Gauge, type Registry } from 'prom-client';

/** What there is to know of the processes that run authors' code. */
export interface WorkerNumbers {
  /** How many run and take episodes. */
  readonly size: number;
  /** How often one has ended by itself, and how. */
  readonly deaths: ReadonlyMap<string, number>;
}

/** Shows how many workers there are, and how often one was lost. */
export function publishWorkers(registry: Registry, workers: WorkerNumbers): void {
  const registers = [registry];
  new Gauge({
    name: 'tiltyard_workers',
    help: 'Worker processes that are running.',
    registers,
    collect() {
      this.set(workers.size);
    },
  });
  new Counter({
    name: 'tiltyard_worker_deaths_total',
    help: 'Worker processes that ended while the server was running. Durable episodes continue in another one; the others are lost.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of workers.deaths) this.inc({ reason }, count);
    },
  });
}
