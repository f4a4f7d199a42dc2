import type { Driven } from '../load/drive.ts';
import type { Lag, UsageReading } from '../servers/usage.ts';

/** What the server used while it was measured. */
export interface ServerUsage {
  /** Processor cores that it kept busy on average. */
  readonly cores: number;
  readonly cpuMicrosPerUnit: number;
  readonly memoryBytes: number;
}

/** One measurement of one server. */
export interface Round extends Driven {
  readonly connections: number;
  readonly rate: number | undefined;
  readonly usage: ServerUsage | undefined;
  readonly lag: Lag | undefined;
}

/** What was used between two readings; undefined if one is missing. */
export function toUsage(
  { seconds, completed, failed }: Driven,
  [before, after]: readonly UsageReading[],
): ServerUsage | undefined {
  if (before === undefined || after === undefined || seconds === 0) return undefined;
  const cpuMs = after.cpuMs - before.cpuMs;
  // A worker that was restarted counts from zero again.
  if (cpuMs < 0) return undefined;
  return {
    cores: cpuMs / 1000 / seconds,
    cpuMicrosPerUnit: (cpuMs * 1000) / Math.max(1, completed + failed),
    memoryBytes: after.memoryBytes,
  };
}
