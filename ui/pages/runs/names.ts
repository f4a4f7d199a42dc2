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

/** Half of the width of the interval: `± 0.041`. */
export function marginOf(interval: { readonly low: number; readonly high: number } | null | undefined): string {
  return interval ? `± ${formatNumber((interval.high - interval.low) / 2)}` : '';
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
