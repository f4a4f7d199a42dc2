import { expect, test } from 'vitest';
import { readPlace, to } from './route.ts';

test('a place survives its address, whatever its names contain', () => {
  const address = to(['environments', 'http://x/y?z', 'a b#c'], { split: 'train & more', index: 0, none: undefined });
  const { path, query } = readPlace(address);
  expect(path).toEqual(['environments', 'http://x/y?z', 'a b#c']);
  expect(Object.fromEntries(query)).toEqual({ split: 'train & more', index: '0' });
});

test('an address that nobody made is read as well as it can be', () => {
  expect(readPlace('').path).toEqual([]);
  expect(readPlace('#/runs/%E0%A4%A').path).toEqual(['runs', '%E0%A4%A']);
});
