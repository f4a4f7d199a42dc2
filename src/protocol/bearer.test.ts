import { expect, test } from 'vitest';
import { bearerOf } from './bearer.ts';

test.each<[header: string | undefined, token: string | undefined]>([
  ['Bearer abc.def', 'abc.def'],
  ['bearer  abc', 'abc'],
  ['Bearer', undefined],
  ['Bearer two words', undefined],
  ['Basic abc', undefined],
  ['', undefined],
  [undefined, undefined],
])('the bearer token of %j is %j', (header, token) => {
  expect(bearerOf(header)).toBe(token);
});
