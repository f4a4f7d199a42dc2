import { chanceOf } from '../../core/index.ts';
import { NORMAL_975, studentQuantile } from './special.ts';

/** A range that holds the true value with 95 % confidence, and how it was made. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly method: 't' | 'bootstrap' | 'wilson';
}

/** The mean of some values; NaN of none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The standard error of a mean: with clusters, values of the same cluster count as one piece of evidence. */
export function standardError(values: readonly number[], clusters?: readonly string[]): number | undefined {
  const centre = mean(values);
  const sums = clusters === undefined ? values.map((value) => value - centre) : sumsOf(values, clusters, centre);
  if (sums.length < 2) return undefined;
  const squares = sums.reduce((sum, each) => sum + each * each, 0);
  // Without clusters each value is its own: this is the standard deviation over the root of the count.
  return Math.sqrt((sums.length / (sums.length - 1)) * squares) / values.length;
}

function sumsOf(values: readonly number[], clusters: readonly string[], centre: number): number[] {
  const sums = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const cluster = clusters[index] ?? '';
    sums.set(cluster, (sums.get(cluster) ?? 0) + value - centre);
  }
  return [...sums.values()];
}

/** Student's interval around a mean, from its standard error and the number of independent pieces of evidence. */
export function tInterval(centre: number, error: number, count: number): Interval {
  const margin = studentQuantile(0.975, count - 1) * error;
  return { low: centre - margin, high: centre + margin, method: 't' };
}

/** Wilson's interval for a share of successes. */
export function wilsonInterval(successes: number, count: number): Interval {
  const z2 = NORMAL_975 ** 2;
  const share = successes / count;
  const centre = (share + z2 / (2 * count)) / (1 + z2 / count);
  const margin = (NORMAL_975 / (1 + z2 / count)) * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count * count));
  return { low: Math.max(0, centre - margin), high: Math.min(1, centre + margin), method: 'wilson' };
}

const RESAMPLES = 10_000;

/** The percentile bootstrap of a mean: what it would have been with other values of the same kind. Same seed, same interval. */
export function bootstrapInterval(values: readonly number[], seed: number): Interval {
  const chance = chanceOf(seed, 'bootstrap');
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1) sum += values[Math.floor(chance() * values.length)] ?? 0;
    return sum / values.length;
  }).sort();
  return { low: quantile(means, 0.025), high: quantile(means, 0.975), method: 'bootstrap' };
}

/** A quantile of sorted values, interpolated between neighbours as most libraries do. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const [low = 0, high = low] = [sorted[below], sorted[Math.min(below + 1, sorted.length - 1)]];
  return low + (high - low) * (place - below);
}
