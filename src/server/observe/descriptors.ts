import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { type Published, publishGauge } from './publish.ts';

/** How many descriptors the process has open, and how many it may have; only where the system tells, as Linux does. */
export function descriptorMetrics(): Published {
  return {
    publish(registry) {
      let most = toMost(readIfThere(LIMITS_FILE));
      if (most === undefined) return;
      publishGauge(registry, {
        name: 'process_open_fds',
        help: 'Open file descriptors.',
        read: () => countOpen().catch((thrown) => (ALL_TAKEN.has(thrown.code) ? (most ?? 0) : Number.NaN)),
      });
      publishGauge(registry, {
        name: 'process_max_fds',
        help: 'Limit on open file descriptors (ulimit -n).',
        async read() {
          // It can be changed from outside; what cannot be read for want of a descriptor is as it was.
          most = toMost(await readFile(LIMITS_FILE, 'utf8').catch(() => undefined)) ?? most;
          return most ?? 0;
        },
      });
    },
  };
}

const LIMITS_FILE = '/proc/self/limits';

// To look takes a descriptor as well: it is in what is found, and if it is not to be had then all are taken.
const ALL_TAKEN: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

async function countOpen(): Promise<number> {
  return (await readdir('/proc/self/fd')).length - 1;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // Another system, or one that keeps this to itself.
  }
}

/** The limit that holds, which a process may raise to the other one behind it. */
function toMost(limits: string | undefined): number | undefined {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits ?? '') ?? [];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
