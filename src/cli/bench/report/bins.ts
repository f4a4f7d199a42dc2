import type { Histogram } from '../load/histogram.ts';

/** A range of latencies and how many fell into it. */
export interface Bin {
  readonly fromMicros: number;
  readonly toMicros: number;
  readonly count: number;
}

/** Sorts latencies into so many ranges of equal width on a logarithmic scale, from the least to the greatest. */
export function toBins(histogram: Histogram, count: number): Bin[] {
  if (histogram.count === 0) return [];
  const [low, high] = [Math.max(1, histogram.minMicros), Math.max(2, histogram.maxMicros)];
  const span = Math.log(high / low) || 1;
  const counts = new Array<number>(count).fill(0);
  for (const bucket of histogram.buckets()) {
    const middle = Math.max(1, (bucket.fromMicros + bucket.toMicros - 1) / 2);
    const place = Math.floor((Math.log(middle / low) / span) * count);
    const index = Math.min(count - 1, Math.max(0, place));
    counts[index] = (counts[index] ?? 0) + bucket.count;
  }
  const edge = (index: number) => low * Math.exp((span * index) / count);
  return counts.map((found, index) => ({ fromMicros: edge(index), toMicros: edge(index + 1), count: found }));
}
