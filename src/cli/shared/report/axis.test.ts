import { expect, test } from 'vitest';
import { linearAxis, logAxis, namedAxis } from './axis.ts';

const values = (axis: { ticks: readonly { value: number }[] }) => axis.ticks.map(({ value }) => value);

test('a linear axis begins at zero, has round steps, and holds the greatest value', () => {
  expect(values(linearAxis(15_700, String))).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
  expect(linearAxis(15_700, String).place(15_700)).toBeLessThan(1);
  expect(values(linearAxis(0, String))[0]).toBe(0);
});

test('a logarithmic axis goes from one round value to another, with all values between them', () => {
  const axis = logAxis([0.3, 4], String);
  expect(values(axis)).toEqual([0.2, 0.5, 1, 2, 5]);
  expect([axis.place(0.2), axis.place(1), axis.place(5)]).toEqual([0, 0.5, 1].map((place) => expect.closeTo(place)));
  expect(values(logAxis([0.3, 40_000], String))).toEqual([1, 10, 100, 1_000, 10_000]);
});

test('an axis of a single value has room for it', () => {
  expect(logAxis([5, 5], String).place(5)).toBeGreaterThanOrEqual(0);
  expect(namedAxis([{ value: 8, label: '8' }]).place(8)).toBe(0);
});
