import { bootstrapInterval, type Interval, mean, standardError, tInterval, wilsonInterval } from './interval.ts';

/** What a run says of the mean reward. */
export interface Estimate {
  /** The mean of the tasks' means. */
  readonly mean: number;
  /** Over tasks; null for a single one. */
  readonly standardError: number | null;
  /** 95 % confidence; null for a single task, and where tasks that do not differ leave nothing to estimate it from. */
  readonly interval: Interval | null;
  /** How many tasks it is made of. */
  readonly tasks: number;
}

/** A task, what its episodes scored together, and what it belongs with. */
export interface ScoredTask {
  readonly valid: number;
  readonly sum: number;
  readonly cluster?: string | undefined;
}

/** How an estimate is made. */
export interface EstimateOptions {
  /** Of the bootstrap. */
  readonly seed: number;
  readonly isClustered: boolean;
  /** Whether each reward is 0 or 1. */
  readonly isBinary: boolean;
}

// Below this, Student's interval trusts the normal distribution too much.
const FEW_TASKS = 30;

/** The mean reward with its uncertainty; null without tasks. */
export function estimate(tasks: readonly ScoredTask[], options: EstimateOptions): Estimate | null {
  if (tasks.length === 0) return null;
  const values = tasks.map(({ sum, valid }) => sum / valid);
  const clusters = options.isClustered ? tasks.map(({ cluster = '' }) => cluster) : undefined;
  const error = standardError(values, clusters);
  return {
    mean: mean(values),
    standardError: error ?? null,
    interval: error === undefined ? null : toInterval(tasks, { ...options, values, error, clusters }),
    tasks: tasks.length,
  };
}

interface Estimated extends EstimateOptions {
  readonly values: readonly number[];
  readonly error: number;
  readonly clusters: readonly string[] | undefined;
}

function toInterval(tasks: readonly ScoredTask[], options: Estimated): Interval | null {
  const interval = hasSpread(options) ? chooseInterval(tasks, options) : flatInterval(options);
  if (interval === null) return null;
  // A mean of zeros and ones is between them, which Student's interval does not know.
  return options.isBinary
    ? { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) }
    : interval;
}

// Of the size of what adding up many rewards rounds away.
const ROUNDING = 1e-12;

function hasSpread({ values, error }: Estimated): boolean {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return error > ROUNDING * largest;
}

/**
 * Of values that are all the same, a bootstrap and Student's interval have no width, as if nothing else could have been
 * drawn. Wilson's holds for zeros and ones, and so for means of them; of other rewards nobody knows how they spread.
 */
function flatInterval({ values, clusters, isBinary }: Estimated): Interval | null {
  if (!isBinary) return null;
  const count = clusters === undefined ? values.length : new Set(clusters).size;
  return wilsonInterval(mean(values) * count, count);
}

function chooseInterval(
  tasks: readonly ScoredTask[],
  { values, error, clusters, seed, isBinary }: Estimated,
): Interval {
  const centre = mean(values);
  // Tasks that belong together are not drawn one by one.
  if (clusters !== undefined) return tInterval(centre, error, new Set(clusters).size);
  const isShare = isBinary && tasks.every(({ valid }) => valid === 1);
  if (isShare)
    return wilsonInterval(
      values.reduce((sum, value) => sum + value, 0),
      values.length,
    );
  return values.length < FEW_TASKS ? bootstrapInterval(values, seed) : tInterval(centre, error, values.length);
}
