import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Limits } from '../../core/index.ts';

/** The limits of memory in bytes, where 0 has stood for what suits this process. */
export type MemoryLimits = Pick<Limits, 'maxKeptBytes' | 'maxMemoryBytes' | 'maxMemoryBytesPerIdentity'>;

/**
 * Makes limits of memory fit this process. Half of what it may use is for what clients make it hold, since parsing, authors'
 * code and the collector's own room need the rest; and kept results get half of that at the most, so that they never leave too
 * little for new calls.
 */
export function toMemoryLimits<L extends MemoryLimits>(limits: L, available: number = availableBytes()): L {
  const maxMemoryBytes = limits.maxMemoryBytes || Math.floor(available / 2);
  return {
    ...limits,
    maxMemoryBytes,
    maxMemoryBytesPerIdentity: Math.min(
      maxMemoryBytes,
      limits.maxMemoryBytesPerIdentity || Math.floor(maxMemoryBytes / 2),
    ),
    maxKeptBytes: Math.min(limits.maxKeptBytes, Math.floor(maxMemoryBytes / 2)),
  };
}

/** What this process may use: its heap, or less in a small container or on a small machine. */
function availableBytes(): number {
  // 0 or a huge number where nothing constrains it.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(getHeapStatistics().heap_size_limit, constrained, totalmem());
}
