import { expect, test } from 'vitest';
import { RecentIds } from './recent-ids.ts';

/** Ids as clients make them: they differ in few characters. */
const toId = (number: number) => `order-${number}`;

function withIds(atLeast: number, count: number): RecentIds {
  const ids = new RecentIds(atLeast);
  for (let number = 0; number < count; number += 1) ids.add(toId(number));
  return ids;
}

/** Which of the ids up to this number are remembered. */
function remembered(ids: RecentIds, count: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter((number) => ids.has(toId(number)));
}

test('an id is remembered, and no other', () => {
  const ids = withIds(10, 1);
  expect(ids.has(toId(0))).toBe(true);
  for (const other of ['', '0', 'order-', 'order-00', 'Order-0', 'order-0\n']) expect(ids.has(other)).toBe(false);
});

test.each(['', '\u0000', '\ud800', '😀', 'x'.repeat(10_000)])('any text can be an id: %j', (id) => {
  const ids = new RecentIds(10);
  expect(ids.has(id)).toBe(false);
  ids.add(id);
  expect(ids.has(id)).toBe(true);
});

test('the oldest are forgotten first, and never one of the latest', () => {
  expect(remembered(withIds(3, 6), 6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(remembered(withIds(3, 7), 7)).toEqual([3, 4, 5, 6]);
  expect(remembered(withIds(3, 9), 9)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(remembered(withIds(3, 10), 10)).toEqual([6, 7, 8, 9]);
});

test('an id that comes again counts as new, and does not push out others at once', () => {
  const ids = withIds(3, 3);
  for (let time = 0; time < 10; time += 1) ids.add(toId(3));
  expect(remembered(ids, 4)).toEqual([0, 1, 2, 3]);
  ids.add(toId(0));
  ids.add(toId(4));
  ids.add(toId(5));
  expect(remembered(ids, 6)).toEqual([0, 3, 4, 5]);
});

test('of very many ids all are found, and none that was not there', () => {
  const COUNT = 150_000;
  const ids = withIds(COUNT, COUNT);
  expect(remembered(ids, 2 * COUNT)).toHaveLength(COUNT);
  expect(ids.has(toId(COUNT - 1))).toBe(true);
  expect(ids.has(toId(COUNT))).toBe(false);
});

test('its memory is bounded, whatever the length of the ids', () => {
  const AT_LEAST = 20_000;
  const ids = new RecentIds(AT_LEAST);
  // Few, so that the many idle sessions with one id stay small.
  ids.add('first');
  expect(ids.bytes).toBeLessThanOrEqual(128);
  for (let number = 0; number < 5 * AT_LEAST; number += 1) ids.add(toId(number).padStart(200));
  expect(ids.bytes).toBeLessThanOrEqual(2 * AT_LEAST * 22);
});
