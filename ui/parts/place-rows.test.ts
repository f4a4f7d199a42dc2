import { expect, test } from 'vitest';
import { placeRows } from './place-rows.ts';

const million = { count: 1_000_000, rowHeight: 34, height: 600 };

test('a short list has all its rows, from its top', () => {
  expect(placeRows({ count: 3, rowHeight: 34, scrollTop: 0, height: 600 })).toMatchObject({
    first: 0,
    last: 3,
    offset: 0,
    total: 102,
  });
});

test('only rows near the screen exist', () => {
  const { first, last } = placeRows({ ...million, count: 10_000, scrollTop: 34 * 500 });
  expect(first).toBe(494);
  expect(last - first).toBeLessThan(40);
});

test('U1: the last of a million rows can be reached, and stands at the end of the screen', () => {
  const { total } = placeRows({ ...million, scrollTop: 0 });
  const scrollTop = total - 600;
  const { first, last, offset } = placeRows({ ...million, scrollTop });
  expect(last).toBe(1_000_000);
  expect(offset + (last - first) * 34).toBeCloseTo(total, 3);
});

test('U1: every row of a million can be scrolled to', () => {
  for (const row of [0, 1, 4_999, 500_000, 999_000]) {
    const { topOf } = placeRows({ ...million, scrollTop: 0 });
    const { first, last } = placeRows({ ...million, scrollTop: topOf(row) });
    expect(row).toBeGreaterThanOrEqual(first);
    expect(row).toBeLessThan(last);
  }
});
