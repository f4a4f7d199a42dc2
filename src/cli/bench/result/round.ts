import type { Driven } from '../load/drive.ts';
import type { ServerReading } from '../servers/open.ts';
import type { Lag } from '../servers/usage.ts';

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

/** Puts what the client and what the server saw into one. */
export function toRound(
  driven: Driven,
  { connections, rate }: Pick<Round, 'connections' | 'rate'>,
  [before, after]: readonly (ServerReading | undefined)[],
): Round {
  return { ...driven, connections, rate, usage: toUsage(driven, before, after), lag: after?.lag };
}

function toUsage(
  { seconds, completed, failed }: Driven,
  before: ServerReading | undefined,
  after: ServerReading | undefined,
): ServerUsage | undefined {
  if (before?.usage === undefined || after?.usage === undefined || seconds === 0) return undefined;
  const cpuMs = after.usage.cpuMs - before.usage.cpuMs;
  // A worker that was restarted counts from zero again.
  if (cpuMs < 0) return undefined;
  return {
    cores: cpuMs / 1000 / seconds,
    cpuMicrosPerUnit: (cpuMs * 1000) / Math.max(1, completed + failed),
    memoryBytes: after.usage.memoryBytes,
  };
}
