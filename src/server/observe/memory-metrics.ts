import { type Published, publishCounter, publishGauge } from './publish.ts';

/** What there is to know of the memory that clients make a server hold. */
export interface MemoryNumbers {
  readonly bytes: number;
  readonly limit: number;
  /** Connections that were closed to free memory. */
  readonly cutCount: number;
}

/** How much memory clients make the server hold, and how much they may. */
export function memoryMetrics(read: () => MemoryNumbers): Published {
  return {
    publish(registry) {
      publishGauge(registry, {
        name: 'tiltyard_memory_bytes',
        help: 'Memory held for clients: large bodies, tasks, secrets, inputs, kept and unread results.',
        read: () => read().bytes,
      });
      publishGauge(registry, {
        name: 'tiltyard_memory_limit_bytes',
        help: 'Limit on memory held for clients (maxMemoryBytes).',
        read: () => read().limit,
      });
      publishCounter(registry, {
        name: 'tiltyard_stalled_connections_closed_total',
        help: 'Connections of stalled clients that were closed to free memory.',
        read: () => read().cutCount,
      });
    },
  };
}
