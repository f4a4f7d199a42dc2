import { expect, test } from 'vitest';
import { compareVersions } from './versions.ts';

test.each<[older: string, newer: string]>([
  ['1.9.0', '1.10.0'],
  ['9.0.0', '10.0.0'],
  ['1.0.9', '1.0.10'],
  ['1.99.99', '2.0.0'],
  ['0.0.0', '0.0.1'],
  ['1.0', '1.0.1'],
  ['1.0.0-beta', '1.0.1-alpha'],
])('%s is older than %s', (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
});

test.each<[one: string, other: string]>([
  ['1.0.0', '1.0.0'],
  ['1.0.0', '01.0.0'],
  ['1', '1.0.0'],
  ['latest', 'newest'],
])('%s and %s are the same version', (one, other) => {
  expect(compareVersions(one, other)).toBe(0);
  expect(compareVersions(other, one)).toBe(0);
});

test('versions are sorted by their numbers', () => {
  const sorted = ['1.10.0', '1.9.0', '2.0.0', '1.9.10'].sort(compareVersions);
  expect(sorted).toEqual(['1.9.0', '1.9.10', '1.10.0', '2.0.0']);
});
