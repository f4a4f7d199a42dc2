import { Counter, Gauge, type Registry } from 'prom-client';

/** What there is to know of the memory that clients make a server hold. */
export interface MemoryNumbers {
  readonly bytes: number;
  readonly limit: number;
  /** Connections that were closed to free memory. */
  readonly cutCount: number;
}

/** Shows how much memory clients make the server hold, and how much they may. */
export function publishMemory(registry: Registry, read: () => MemoryNumbers): void {
  const registers = [registry];
  new Gauge({
    name: 'tiltyard_memory_bytes',
    help: 'Memory held for clients: large bodies, tasks, secrets, inputs, kept and unread results.',
    registers,
    collect() {
      this.set(read().bytes);
    },
  });
  new Gauge({
    name: 'tiltyard_memory_limit_bytes',
    help: 'Limit on memory held for clients (maxMemoryBytes).',
    registers,
  }).set(read().limit);
  new Counter({
    name: 'tiltyard_stalled_connections_closed_total',
    help: 'Connections of stalled clients that were closed to free memory.',
    registers,
    collect() {
      this.reset();
      this.inc(read().cutCount);
    },
  });
}
