import { expect, test } from 'vitest';
import { LargeResults } from './large-results.ts';

/** Which of these numbers are still there. */
function left(results: LargeResults<{ identity: string; keptAt: number; bytes: number }>, count: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter((number) => results.find(number) !== undefined);
}

test('one identity pushes out its own results first, and gets half of the room at the most', () => {
  const results = new LargeResults(100);
  results.add(0, { identity: 'bert', keptAt: 0, bytes: 40 });
  for (const number of [1, 2, 3, 4]) results.add(number, { identity: 'anna', keptAt: number, bytes: 20 });
  expect(left(results, 5)).toEqual([0, 3, 4]);
  expect(results.bytes).toBe(80);
});

test('the newest is kept, however large it is', () => {
  const results = new LargeResults(100);
  results.add(0, { identity: 'anna', keptAt: 0, bytes: 40 });
  results.add(1, { identity: 'anna', keptAt: 1, bytes: 500 });
  expect(left(results, 2)).toEqual([1]);
  expect(results.bytes).toBe(100);
});

test('without identities all share all of the room', () => {
  const results = new LargeResults(100);
  for (const number of [0, 1, 2]) results.add(number, { identity: '', keptAt: number, bytes: 40 });
  expect(left(results, 3)).toEqual([1, 2]);
  expect(results.oldest?.keptAt).toBe(1);
  results.dropOldest();
  results.drop(2);
  expect([results.bytes, results.oldest]).toEqual([0, undefined]);
});
