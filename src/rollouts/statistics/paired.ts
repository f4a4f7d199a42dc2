import { type Interval, mean, standardError, tInterval } from './interval.ts';
import { logGamma } from './special.ts';

/** What a task scored in two runs. */
export interface Pair {
  readonly first: number;
  readonly second: number;
}

/** How the second run differs from the first, task by task. */
export interface PairedDifference {
  /** Second minus first. */
  readonly difference: number;
  readonly standardError: number | null;
  readonly interval: Interval | null;
  /** Tasks on which the second was better, worse, and the same. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** Compares two runs on the tasks that both have. */
export function comparePairs(pairs: readonly Pair[]): PairedDifference {
  const differences = pairs.map(({ first, second }) => second - first);
  const difference = mean(differences);
  const error = standardError(differences);
  return {
    difference,
    standardError: error ?? null,
    interval: error === undefined ? null : tInterval(difference, error, differences.length),
    wins: differences.filter((each) => each > 0).length,
    losses: differences.filter((each) => each < 0).length,
    ties: differences.filter((each) => each === 0).length,
  };
}

/** McNemar's exact test: how likely so uneven a count of wins and losses is if neither run is better. */
export function mcNemar(wins: number, losses: number): number {
  const count = wins + losses;
  const least = Math.min(wins, losses);
  let sum = 0;
  for (let k = 0; k <= least; k += 1) sum += Math.exp(logChoose(count, k) - count * Math.LN2);
  return Math.min(1, 2 * sum);
}

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}
