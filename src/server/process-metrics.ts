import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { buildSha, version } from '../version.ts';

// Under the names that dashboards for Node know.
const MEMORY = {
  rss: ['process_resident_memory_bytes', 'Memory of the process.'],
  heapTotal: ['nodejs_heap_size_total_bytes', 'Heap that V8 has reserved.'],
  heapUsed: ['nodejs_heap_size_used_bytes', 'Heap that is in use, garbage included.'],
  external: ['nodejs_external_memory_bytes', 'Memory of C++ objects that JavaScript holds.'],
} as const;

/** Shows what runs, what the process needs, and what of it each session does. */
export function publishProcess(registry: Registry, liveSessions: () => number): void {
  const registers = [registry];
  for (const [key, [name, help]] of Object.entries(MEMORY)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(process.memoryUsage()[key as keyof typeof MEMORY]);
      },
    });
  }
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970.',
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
  new Gauge({
    name: 'tiltyard_build_info',
    help: 'What runs, in its labels; always 1.',
    labelNames: ['version', 'build_sha', 'node'],
    registers,
  }).set({ version, build_sha: buildSha ?? '', node: process.versions.node }, 1);
  const heapBefore = process.memoryUsage().heapUsed;
  new Gauge({
    name: 'tiltyard_session_memory_bytes',
    help: 'Heap used since the server was made, garbage included, for each live session; 0 without any.',
    registers,
    collect() {
      const grown = Math.max(0, process.memoryUsage().heapUsed - heapBefore);
      const sessions = liveSessions();
      this.set(sessions === 0 ? 0 : grown / sessions);
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time that the process has spent on a CPU.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

const RESOLUTION_MS = 10;
const QUANTILES: readonly number[] = [0.5, 0.9, 0.99, 1];

/** How late the event loop is. Measured from the first look on: servers that nobody watches pay nothing. */
export class EventLoopLag {
  #histogram: IntervalHistogram | undefined;

  constructor(registry: Registry) {
    const read = () => this.#read();
    new Gauge({
      name: 'tiltyard_event_loop_lag_seconds',
      help: 'How late timers fire, since the look before; quantile 1 is the longest delay.',
      labelNames: ['quantile'],
      registers: [registry],
      collect() {
        for (const [quantile, seconds] of read()) this.set({ quantile: String(quantile) }, seconds);
      },
    });
  }

  close(): void {
    this.#histogram?.disable();
  }

  #read(): (readonly [quantile: number, seconds: number])[] {
    if (this.#histogram === undefined) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
    }
    const histogram = this.#histogram;
    if (histogram.count === 0) return [];
    // What Node measures is the time between two timers, so that the one it waited for is in it.
    const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    const lags = QUANTILES.map((quantile) => [quantile, toSeconds(histogram.percentile(quantile * 100))] as const);
    histogram.reset();
    return lags;
  }
}
