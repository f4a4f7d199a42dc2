import { expect, test } from 'vitest';
import { certaintyOf, rangeOf } from './names.ts';

test('an interval is shown from end to end, since its middle is not the mean', () => {
  expect(rangeOf({ low: 0.8389, high: 1 })).toBe('0.839 to 1.000 (95 %)');
  expect(rangeOf(null)).toBe('');
});

test('a mean without an interval says why', () => {
  expect(certaintyOf({ interval: { low: 0, high: 1 }, standardError: 0, tasks: 2 })).toBe('0.000 to 1.000 (95 %)');
  expect(certaintyOf({ interval: null, standardError: 0, tasks: 5 })).toBe('all tasks scored the same: no interval');
  expect(certaintyOf({ interval: null, standardError: null, tasks: 1 })).toBe('one task: no interval');
  expect(certaintyOf({ interval: null, standardError: null, tasks: 5 })).toBe('one cluster: no interval');
});
