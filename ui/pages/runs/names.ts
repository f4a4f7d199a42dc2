import type { ReadableRun } from '../../../src/studio/api.ts';
import { formatNumber, formatUsd } from '../../data/format.ts';

/** Who played a run. */
export function agentOf({ identity: { agent, model } }: ReadableRun): string {
  return model ?? agent;
}

/** How many tasks were played, and how often: `100 tasks × 4`. */
export function sizeOf({ summary: { tasks }, selection: { k } }: ReadableRun): string {
  return `${tasks} ${tasks === 1 ? 'task' : 'tasks'} × ${k}`;
}

/** An interval from end to end: `0.222 to 0.467`. Not ±, since the mean need not be its middle. */
export function boundsOf(interval: Interval | null | undefined): string {
  return interval ? `${formatNumber(interval.low)} to ${formatNumber(interval.high)}` : '';
}

/** An interval where nothing else says how sure it is: `0.222 to 0.467 (95 %)`. */
export function rangeOf(interval: Interval | null | undefined): string {
  return interval ? `${boundsOf(interval)} (95 %)` : '';
}

/** The same of a mean, or why there is none. */
export function certaintyOf({ interval, standardError, tasks }: Certainty): string {
  if (interval !== null) return rangeOf(interval);
  if (standardError !== null) return 'all tasks scored the same: no interval';
  return tasks === 1 ? 'one task: no interval' : 'one cluster: no interval';
}

interface Certainty {
  readonly interval: Interval | null;
  readonly standardError: number | null;
  readonly tasks: number;
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A difference with its sign. */
export function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${formatNumber(value)}`;
}

/** What a run cost; nothing where nothing is known. */
export function costOf({ summary: { usd } }: ReadableRun): string {
  return usd === 0 ? '' : formatUsd(usd);
}

/** A way of ending, as people read it. */
export function stopName(stop: string): string {
  return stop.replaceAll('_', ' ');
}
