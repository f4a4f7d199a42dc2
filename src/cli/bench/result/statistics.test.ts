import { expect, test } from 'vitest';
import { toRatios, toSpread } from './statistics.ts';

test('the median is the middle value, or the mean of the two in the middle', () => {
  expect(toSpread([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
  expect(toSpread([4, 1, 2, 100])).toEqual({ median: 3, min: 1, max: 100 });
  expect(toSpread([7])).toEqual({ median: 7, min: 7, max: 7 });
  expect(toSpread([])).toEqual({ median: 0, min: 0, max: 0 });
});

test('ratios are taken round by round, so that a slow round of both changes nothing', () => {
  expect(toRatios([200, 20, 100], [100, 10, 50])).toEqual({ median: 2, min: 2, max: 2 });
  expect(toRatios([100, 100, 100], [100, 50, 200])).toEqual({ median: 1, min: 0.5, max: 2 });
});

test('rounds that cannot be compared are left out', () => {
  expect(toRatios([100, 100, 100], [50, 0])).toEqual({ median: 2, min: 2, max: 2 });
  expect(toRatios([100], [])).toBeUndefined();
});
