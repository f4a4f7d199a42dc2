import { expect, test } from 'vitest';
import { Tombstones } from './tombstones.ts';

const KEEP = 900_000;

test('L5: a session is remembered for its time', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('a', 0, 'deleted');
  expect(tombstones.find('a', KEEP - 1)).toBe('deleted');
  expect(tombstones.find('a', KEEP)).toBeUndefined();
  expect(tombstones.find('b', 0)).toBeUndefined();
});

test('what ended a session is remembered with it', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('a', 0, 'expired');
  tombstones.set('b', 0, 'deleted');
  expect([tombstones.find('a', 1), tombstones.find('b', 1)]).toEqual(['expired', 'deleted']);
});

test('L5: when there are too many the oldest is forgotten', () => {
  const tombstones = new Tombstones(KEEP, 2);
  for (const [at, key] of ['a', 'b', 'c'].entries()) tombstones.set(key, at, 'deleted');
  expect(['a', 'b', 'c'].filter((key) => tombstones.find(key, 3))).toEqual(['b', 'c']);
});

test('a session that ends again is remembered from then on, and is the youngest', () => {
  const tombstones = new Tombstones(KEEP, 2);
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) tombstones.set(key, at * 1_000, 'deleted');
  expect(tombstones.find('b', 3_000)).toBeUndefined();
  expect(tombstones.find('a', KEEP + 1_999)).toBe('deleted');
});

test('a session that lives again is no longer one that ended', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('a', 0, 'deleted');
  tombstones.clear('a');
  expect(tombstones.find('a', 1)).toBeUndefined();
});

test('sweeping takes away only those whose time is over', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('old', 0, 'deleted');
  tombstones.set('young', 1_000, 'deleted');
  tombstones.sweep(KEEP);
  // Asked about a time when both were remembered: the old one is really gone.
  expect(['old', 'young'].filter((key) => tombstones.find(key, 1_000))).toEqual(['young']);
});

test('forgetting the oldest costs the same however many there are', () => {
  const MAX = 200_000;
  const tombstones = new Tombstones(KEEP, MAX);
  for (let count = 0; count < MAX; count += 1) tombstones.set(`${count}`, 0, 'deleted');
  const before = process.cpuUsage();
  for (let count = MAX; count < 2 * MAX; count += 1) tombstones.set(`${count}`, 0, 'deleted');
  // Far less on a machine with nothing else to do; with the order of a Map it is far more.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
  expect(tombstones.find(`${MAX - 1}`, 0)).toBeUndefined();
});
