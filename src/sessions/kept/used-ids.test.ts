import { expect, test } from 'vitest';
import { UsedIds } from './used-ids.ts';

/** Ids as clients make them: they differ in few characters. */
const toId = (number: number) => `order-${number}`;

function withIds(atLeast: number, count: number): UsedIds {
  const ids = new UsedIds(atLeast);
  for (let number = 0; number < count; number += 1) ids.add(toId(number), number);
  return ids;
}

/** Which of the ids up to this number are remembered, with their numbers. */
function remembered(ids: UsedIds, count: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter((number) => ids.find(toId(number)) === number);
}

test('an id is remembered with the number of its call, and no other', () => {
  const ids = withIds(10, 0);
  ids.add(toId(0), 7);
  expect(ids.find(toId(0))).toBe(7);
  for (const other of ['', '0', 'order-', 'order-00', 'Order-0', 'order-0\n']) expect(ids.find(other)).toBeUndefined();
});

test.each(['', '\u0000', '\ud800', '😀', 'x'.repeat(10_000)])('any text can be an id: %j', (id) => {
  const ids = new UsedIds(10);
  expect(ids.find(id)).toBeUndefined();
  ids.add(id, 0);
  expect(ids.find(id)).toBe(0);
});

test('numbers can be as large as numbers of calls get', () => {
  const ids = new UsedIds(10);
  ids.add('late', Number.MAX_SAFE_INTEGER);
  expect(ids.find('late')).toBe(Number.MAX_SAFE_INTEGER);
});

test('the oldest are forgotten first, and never one of the latest', () => {
  expect(remembered(withIds(3, 6), 6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(remembered(withIds(3, 7), 7)).toEqual([3, 4, 5, 6]);
  expect(remembered(withIds(3, 9), 9)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(remembered(withIds(3, 10), 10)).toEqual([6, 7, 8, 9]);
});

test('an id that comes again counts as new, and does not push out others at once', () => {
  const ids = withIds(3, 3);
  for (let time = 0; time < 10; time += 1) ids.add(toId(3), 3);
  expect(remembered(ids, 4)).toEqual([0, 1, 2, 3]);
  ids.add(toId(0), 0);
  ids.add(toId(4), 4);
  ids.add(toId(5), 5);
  expect(remembered(ids, 6)).toEqual([0, 3, 4, 5]);
});

test('an id that comes again has the number of its latest call', () => {
  const ids = withIds(3, 3);
  ids.add(toId(0), 100);
  // In the young generation, while the old one has it too.
  expect(ids.find(toId(0))).toBe(100);
  ids.add(toId(0), 200);
  expect(ids.find(toId(0))).toBe(200);
});

test('of very many ids all are found, and none that was not there', () => {
  const COUNT = 150_000;
  const ids = withIds(COUNT, COUNT);
  expect(remembered(ids, COUNT)).toHaveLength(COUNT);
  for (let number = COUNT; number < 2 * COUNT; number += 1)
    if (ids.find(toId(number)) !== undefined) throw new Error(`${toId(number)} was not there`);
});

test('its memory is bounded, whatever the length of the ids', () => {
  const AT_LEAST = 20_000;
  const ids = new UsedIds(AT_LEAST);
  // Few, so that the many idle sessions with one id stay small.
  ids.add('first', 0);
  expect(ids.bytes).toBeLessThanOrEqual(256);
  for (let number = 0; number < 5 * AT_LEAST; number += 1) ids.add(toId(number).padStart(200), number);
  expect(ids.bytes).toBeLessThanOrEqual(2 * AT_LEAST * 43);
});
