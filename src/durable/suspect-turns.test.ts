import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SuspectTurns } from './suspect-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** So many suspects of one end, in the order in which they go on, and what ends the turn of each. */
function suspects(count: number) {
  const turns = new SuspectTurns();
  const begun: number[] = [];
  const ends = Array.from({ length: count }, (_value, index) => turns.take(1 / count, () => void begun.push(index)));
  return { begun, ends };
}

test.each([
  [2, 1],
  [3, 1],
  [4, 2],
  [9, 4],
])('of %i suspects at most half go on at a time', (count, first) => {
  const { begun, ends } = suspects(count);
  expect(begun).toHaveLength(first);
  ends[0]?.();
  expect(begun).toHaveLength(first + 1);
  for (const end of ends) end();
  expect(begun).toHaveLength(count);
});

test('one that takes long does not keep the next one waiting for ever', () => {
  const { begun } = suspects(2);
  vi.advanceTimersByTime(29_000);
  expect(begun).toEqual([0]);
  vi.advanceTimersByTime(2_000);
  expect(begun).toEqual([0, 1]);
});

test('one that ends while it waits does not go on', () => {
  const { begun, ends } = suspects(3);
  ends[1]?.();
  ends[0]?.();
  expect(begun).toEqual([0, 2]);
});
