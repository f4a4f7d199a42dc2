import { expect, test } from 'vitest';
import { rangeOf } from './names.ts';

test('an interval is shown from end to end, since its middle is not the mean', () => {
  expect(rangeOf({ low: 0.8389, high: 1 })).toBe('0.839 to 1.000 (95 %)');
  expect(rangeOf(null)).toBe('');
});
