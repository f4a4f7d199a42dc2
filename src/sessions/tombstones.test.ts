import { expect, test } from 'vitest';
import { Tombstones } from './tombstones.ts';

const KEEP = 900_000;

test('L5: a session is remembered for its time', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('a', 0);
  expect(tombstones.has('a', KEEP - 1)).toBe(true);
  expect(tombstones.has('a', KEEP)).toBe(false);
  expect(tombstones.has('b', 0)).toBe(false);
});

test('L5: when there are too many the oldest is forgotten', () => {
  const tombstones = new Tombstones(KEEP, 2);
  for (const [at, key] of ['a', 'b', 'c'].entries()) tombstones.set(key, at);
  expect(['a', 'b', 'c'].filter((key) => tombstones.has(key, 3))).toEqual(['b', 'c']);
});

test('a session that ends again is remembered from then on, and is the youngest', () => {
  const tombstones = new Tombstones(KEEP, 2);
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) tombstones.set(key, at * 1_000);
  expect(tombstones.has('b', 3_000)).toBe(false);
  expect(tombstones.has('a', KEEP + 1_999)).toBe(true);
});

test('a session that lives again is no longer one that ended', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('a', 0);
  tombstones.clear('a');
  expect(tombstones.has('a', 1)).toBe(false);
});

test('sweeping takes away only those whose time is over', () => {
  const tombstones = new Tombstones(KEEP, 10);
  tombstones.set('old', 0);
  tombstones.set('young', 1_000);
  tombstones.sweep(KEEP);
  // Asked about a time when both were remembered: the old one is really gone.
  expect(['old', 'young'].filter((key) => tombstones.has(key, 1_000))).toEqual(['young']);
});
