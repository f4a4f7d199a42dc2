import { getHeapStatistics } from 'node:v8';
import { buildSha, version } from '../../version.ts';
import { type Published, publishCounter, publishGauge } from './publish.ts';

// Under the names that dashboards for Node know.
const MEMORY = {
  rss: ['process_resident_memory_bytes', 'Memory of the process.'],
  heapTotal: ['nodejs_heap_size_total_bytes', 'Heap that V8 has reserved.'],
  heapUsed: ['nodejs_heap_size_used_bytes', 'Heap in use, including garbage.'],
  external: ['nodejs_external_memory_bytes', 'Memory of C++ objects that JavaScript holds.'],
} as const;

/** What runs, what the process needs, and what of it each session does. */
export function processMetrics(liveSessions: () => number): Published {
  const heapBefore = process.memoryUsage().heapUsed;
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return {
    publish(registry) {
      for (const [key, [name, help]] of Object.entries(MEMORY))
        publishGauge(registry, { name, help, read: () => process.memoryUsage()[key as keyof typeof MEMORY] });
      publishGauge(registry, {
        name: 'nodejs_heap_size_limit_bytes',
        help: 'V8 heap limit; beyond it the process is aborted (--max-old-space-size).',
        read: () => getHeapStatistics().heap_size_limit,
      });
      publishGauge(registry, {
        name: 'process_start_time_seconds',
        help: 'Start time of the process, in seconds since 1970.',
        read: () => startedAt,
      });
      publishGauge(registry, {
        name: 'tiltyard_build_info',
        help: 'Version, commit and Node version of the server, as labels; always 1.',
        labelNames: ['version', 'build_sha', 'node'],
        read: () => [[{ version, build_sha: buildSha ?? '', node: process.versions.node }, 1]],
      });
      publishGauge(registry, {
        name: 'tiltyard_session_memory_bytes',
        help: 'Heap used since the server was made, garbage included, for each live session; 0 without any.',
        read() {
          const grown = Math.max(0, process.memoryUsage().heapUsed - heapBefore);
          const sessions = liveSessions();
          return sessions === 0 ? 0 : grown / sessions;
        },
      });
      publishCounter(registry, {
        name: 'process_cpu_seconds_total',
        help: 'CPU time used by the process.',
        read() {
          const { user, system } = process.cpuUsage();
          return (user + system) / 1e6;
        },
      });
    },
  };
}
