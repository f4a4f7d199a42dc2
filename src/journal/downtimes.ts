import type { Stores } from './stores.ts';

/** A time in which nobody had the journal open, in ms since 1970. */
interface Downtime {
  readonly from: number;
  readonly to: number;
}

/** When a journal was not in use. */
export type Downtimes = readonly Downtime[];

// Older downtimes no longer affect anything that is still kept.
const MOST = 1_000;

/** Those that a journal knows of. */
export function downtimesOf({ meta }: Stores): Downtimes {
  return (meta.get('downtimes') as Downtimes | undefined) ?? [];
}

/** Notes that nobody had the journal open from `from`, when its last owner was seen, until now. */
export function noteDowntime(stores: Stores, from: number | undefined): void {
  if (from === undefined) return;
  const downtimes = [...downtimesOf(stores), { from, to: Date.now() }];
  stores.meta.put('downtimes', downtimes.slice(-MOST), 0);
}

/** For how long a journal was in use between two times. */
export function servedBetween(from: number, to: number, downtimes: Downtimes): number {
  let servedMs = to - from;
  for (const down of downtimes) servedMs -= Math.max(0, Math.min(to, down.to) - Math.max(from, down.from));
  return Math.max(0, servedMs);
}
