import { expect, test } from 'vitest';
import { reachesPrototype } from './prototype-keys.ts';

test.each([
  ['{"a":[{"__proto__":null}]}', true],
  ['{"a":{"constructor":{"prototype":1}}}', true],
  ['{"constructor":{"name":"x"}}', false],
  ['{"constructor":"prototype"}', false],
  ['["__proto__"]', false],
  ['null', false],
])('%s reaches a prototype: %s', (text, expected) => {
  expect(reachesPrototype(JSON.parse(text))).toBe(expected);
});
