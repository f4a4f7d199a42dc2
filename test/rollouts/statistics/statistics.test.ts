import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { estimate } from '../../../src/rollouts/statistics/estimate.ts';
import {
  bootstrapInterval,
  mean,
  standardError,
  tInterval,
  wilsonInterval,
} from '../../../src/rollouts/statistics/interval.ts';
import { comparePairs, mcNemar } from '../../../src/rollouts/statistics/paired.ts';
import { passAll, passAt } from '../../../src/rollouts/statistics/passes.ts';
import { studentQuantile } from '../../../src/rollouts/statistics/special.ts';

// Made by reference.py, with scipy and statsmodels.
const reference = JSON.parse(readFileSync(new URL('reference.json', import.meta.url), 'utf8'));

/** Equal to the ninth digit. */
function expectSame(actual: number | null | undefined, expected: number): void {
  expect(actual).toEqual(expect.any(Number));
  expect(Math.abs((actual as number) - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
}

test('Q14: mean, standard error and t interval are those of scipy', () => {
  const { values, mean: centre, error, low, high } = reference.t;
  expectSame(mean(values), centre);
  expectSame(standardError(values), error);
  const interval = tInterval(mean(values), standardError(values) ?? 0, values.length);
  expectSame(interval.low, low);
  expectSame(interval.high, high);
});

test("Q14: quantiles of Student's t are those of scipy", () => {
  for (const { probability, degrees, value } of reference.quantiles)
    expectSame(studentQuantile(probability, degrees), value);
});

test('Q14: with clusters of tasks, error and interval are those of statsmodels', () => {
  const { values, clusters, error, low, high } = reference.clustered;
  const tasks = values.map((value: number, index: number) => ({ valid: 1, sum: value, cluster: clusters[index] }));
  const found = estimate(tasks, { seed: 0, isClustered: true, isBinary: false });
  expectSame(found?.standardError, error);
  expectSame(found?.interval?.low, low);
  expectSame(found?.interval?.high, high);
});

test('Q14: below 30 tasks, the interval is a seeded bootstrap, drawn the same by a second implementation', () => {
  for (const { seed, values, interval } of reference.bootstrap) {
    const { low, high } = bootstrapInterval(values, seed);
    expectSame(low, interval[0]);
    expectSame(high, interval[1]);
    const tasks = values.map((value: number) => ({ valid: 2, sum: 2 * value }));
    expect(estimate(tasks, { seed, isClustered: false, isBinary: false })?.interval).toEqual({
      low,
      high,
      method: 'bootstrap',
    });
  }
});

test('Q14: with one episode a task and rewards of 0 and 1, the interval is that of Wilson', () => {
  for (const { passed, count, interval } of reference.wilson) {
    const tasks = Array.from({ length: count }, (_, index) => ({ valid: 1, sum: index < passed ? 1 : 0 }));
    const found = estimate(tasks, { seed: 0, isClustered: false, isBinary: true });
    expect(found?.interval?.method).toBe('wilson');
    expectSame(found?.interval?.low, Math.max(0, interval[0]));
    expectSame(found?.interval?.high, Math.min(1, interval[1]));
    expect(wilsonInterval(passed, count)).toEqual(found?.interval);
  }
});

test('Q14: pass@k and pass^k leave out tasks with too few episodes, and count them', () => {
  const tasks = reference.passes.tasks.map(([valid, passed]: [number, number]) => ({ valid, passed }));
  for (const { k, at, all, leftOut } of reference.passes.rates) {
    const [some, every] = [passAt(tasks, k), passAll(tasks, k)];
    expectSame(some.value, at);
    expectSame(every.value, all);
    expect([some.leftOut, every.leftOut]).toEqual([leftOut, leftOut]);
  }
  expect(passAt(tasks, 99)).toMatchObject({ value: null, tasks: 0 });
});

test('Q14: a paired comparison has the difference, its interval, and wins, losses and ties', () => {
  const { first, second, mean: difference, error, low, high, wins, losses, ties } = reference.paired;
  const found = comparePairs(first.map((value: number, index: number) => ({ first: value, second: second[index] })));
  expectSame(found.difference, difference);
  expectSame(found.standardError, error);
  expectSame(found.interval?.low, low);
  expectSame(found.interval?.high, high);
  expect(found).toMatchObject({ wins, losses, ties });
});

test("Q14: McNemar's exact test is that of statsmodels", () => {
  for (const { wins, losses, p } of reference.mcnemar) expectSame(mcNemar(wins, losses), p);
  expect(mcNemar(0, 0)).toBe(1);
});

test('a single task has a mean and no interval', () => {
  expect(estimate([{ valid: 2, sum: 1 }], { seed: 0, isClustered: false, isBinary: true })).toEqual({
    mean: 0.5,
    standardError: null,
    interval: null,
    tasks: 1,
  });
});

test.each([
  ['few tasks', 5, false],
  ['many tasks', 40, false],
  ['clusters of tasks', 40, true],
])(
  '%s that all scored the same are not certain: Wilson for 0 and 1, otherwise no interval',
  (_, count, isClustered) => {
    const all = (reward: number) =>
      Array.from({ length: count }, (_, index) => ({ valid: 3, sum: 3 * reward, cluster: `${index % 10}` }));
    const options = { seed: 0, isClustered };
    const independent = isClustered ? 10 : count;
    for (const reward of [0, 1]) {
      const found = estimate(all(reward), { ...options, isBinary: true });
      expect(found).toMatchObject({ mean: reward, standardError: 0 });
      expect(found?.interval).toEqual(wilsonInterval(reward * independent, independent));
    }
    // Means that are not the same only by what adding them up has rounded away.
    for (const reward of [0.5, 0.1, 7])
      expect(estimate(all(reward), { ...options, isBinary: false })).toMatchObject({ interval: null, tasks: count });
  },
);

test('where each reward is 0 or 1, no interval goes beyond them', () => {
  const tasks = Array.from({ length: 40 }, (_, index) => ({
    valid: 2,
    sum: index === 0 ? 1 : 2,
    cluster: `${index % 20}`,
  }));
  for (const isClustered of [false, true]) {
    const options = { seed: 0, isClustered };
    expect(estimate(tasks, { ...options, isBinary: false })?.interval?.high).toBeGreaterThan(1);
    expect(estimate(tasks, { ...options, isBinary: true })?.interval).toMatchObject({ high: 1, method: 't' });
    const failed = tasks.map((task) => ({ ...task, sum: 2 - task.sum }));
    expect(estimate(failed, { ...options, isBinary: true })?.interval).toMatchObject({ low: 0, method: 't' });
  }
});
