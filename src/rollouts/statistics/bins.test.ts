import { expect, test } from 'vitest';
import { EvenBins } from './bins.ts';

function binned(values: readonly number[]): [from: number, to: number, counts: number[]] {
  const bins = new EvenBins(Math.min(...values), Math.max(...values));
  for (const value of values) bins.add(value);
  return [bins.bins[0]?.from ?? 0, bins.bins.at(-1)?.to ?? 0, bins.bins.map(({ count }) => count).filter(Boolean)];
}

test('values are counted from the least to the greatest', () => {
  expect(binned([-1, 0, 0, 3])).toEqual([-1, 3, [1, 2, 1]]);
});

test('values that are all the same are shown against 0 and 1', () => {
  expect(binned([0, 0])).toEqual([0, 1, [2]]);
  expect(binned([1, 1, 1])).toEqual([0, 1, [3]]);
  expect(binned([-2])).toEqual([-2, 1, [1]]);
  expect(binned([5])).toEqual([0, 5, [1]]);
});
