import { expect, test } from 'vitest';
import { withoutForeignFrames } from './location.ts';

const AUTHORS = '    at run (file:///home/me/math.ts:3:4)';

test.each([
  ['a host that is none of ours', '    at run (file://elsewhere/x.js:1:1)'],
  ['an escaped slash', '    at run (file:///a%2Fb.js:1:1)'],
  ['an escape that is none', '    at run (file:///a%zz.js:1:1)'],
])('a stack of another make is cut and not thrown at: %s', (_, line) => {
  expect(withoutForeignFrames(`Error: no\n${line}\n${AUTHORS}`)).toBe(`Error: no\n${AUTHORS}`);
});

test('a line that is too long for a call is left as it is, and takes no time', () => {
  const long = `Error: no\n at ${'('.repeat(1_000_000)}`;
  expect(withoutForeignFrames(long)).toBe(long);
});
