import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import { buildSha, version } from '../../version.ts';

// Under the names that dashboards for Node know.
const MEMORY = {
  rss: ['process_resident_memory_bytes', 'Memory of the process.'],
  heapTotal: ['nodejs_heap_size_total_bytes', 'Heap that V8 has reserved.'],
  heapUsed: ['nodejs_heap_size_used_bytes', 'Heap in use, including garbage.'],
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
    name: 'nodejs_heap_size_limit_bytes',
    help: 'V8 heap limit; beyond it the process is aborted (--max-old-space-size).',
    registers,
  }).set(getHeapStatistics().heap_size_limit);
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since 1970.',
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
  new Gauge({
    name: 'tiltyard_build_info',
    help: 'Version, commit and Node version of the server, as labels; always 1.',
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
    help: 'CPU time used by the process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

// Fine enough for delays that anybody notices; each tick costs an idle process some microseconds.
const RESOLUTION_MS = 20;
const QUANTILES: readonly number[] = [0.5, 0.9, 0.99, 1];

// No scraper should look less often than that.
const GENERATION_MS = 60_000;

/**
 * How late the event loop was in the last minute or two. Two histograms take turns, however often they are read: one that began anew
 * at each look would give its peak to a second scraper, or to one that had given up by the time the loop was free.
 */
export class EventLoopLag {
  /** The one that is shown: it goes back at least a generation, or to the start. */
  #older: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #newer: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;

  constructor(registry: Registry) {
    const read = () => this.#read();
    new Gauge({
      name: 'tiltyard_event_loop_lag_seconds',
      help: 'How late timers fired in the last one to two minutes; quantile 1 is the longest delay.',
      labelNames: ['quantile'],
      registers: [registry],
      collect() {
        for (const [quantile, seconds] of read()) this.set({ quantile: String(quantile) }, seconds);
      },
    });
  }

  /** Begins to measure. */
  start(): void {
    this.#older.enable();
    this.#newer.enable();
    this.#timer = setInterval(() => this.#rotate(), GENERATION_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#older.disable();
    this.#newer.disable();
  }

  #rotate(): void {
    [this.#older, this.#newer] = [this.#newer, this.#older];
    this.#newer.reset();
  }

  #read(): (readonly [quantile: number, seconds: number])[] {
    const histogram = this.#older;
    // What Node measures is the time between two timers, so that the one it waited for is in it.
    const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    return QUANTILES.map((quantile) => [quantile, toSeconds(histogram.percentile(quantile * 100))]);
  }
}
