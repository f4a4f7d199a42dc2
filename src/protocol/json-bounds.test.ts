import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessIn, MAX_ANSWER_BOUNDS, MAX_JSON_LEVELS } from './json-bounds.ts';

const MANY = 100_000;

/** Levels and containers of a parsed value. */
function measure(value: unknown): [levels: number, containers: number] {
  if (typeof value !== 'object' || value === null) return [0, 0];
  const inner = Object.values(value).map(measure);
  return [1 + Math.max(0, ...inner.map(([levels]) => levels)), 1 + inner.reduce((sum, [, count]) => sum + count, 0)];
}

const wrap = (text: string, levels: number) => '['.repeat(levels) + text + ']'.repeat(levels);

test('levels are counted as a parser would, whatever is in strings', () => {
  const check = (value: unknown, levels: number) => {
    const text = wrap(JSON.stringify(value), MAX_JSON_LEVELS - levels);
    expect(excessIn(text, { containers: MANY })).toBe(measure(value)[0] > levels ? 'levels' : undefined);
  };
  const hostile = fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a', '\u2028') });
  const values = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, hostile, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(hostile, tie('value'), { maxKeys: 4 }),
  })).value;
  fc.assert(fc.property(values, fc.integer({ min: 0, max: 8 }), check));
});

test('objects and lists are counted, siblings too', () => {
  const text = wrap(`{"a":"${'x'.repeat(MAX_JSON_LEVELS)}"},${'[],'.repeat(MAX_JSON_LEVELS)}{}`, 1);
  expect(excessIn(text, { containers: MAX_JSON_LEVELS + 3 })).toBeUndefined();
  expect(excessIn(text, { containers: MAX_JSON_LEVELS + 2 })).toBe('containers');
});

test.each([
  ['an open string', '"'.padEnd(5_000, '['), undefined],
  ['a quote that is escaped', `["${'\\"'.repeat(2_000)}${'['.repeat(2_000)}"]`, undefined],
  ['a backslash that is escaped', `["\\\\",${'['.repeat(2_000)}`, 'levels'],
  ['brackets that nothing closes', '['.repeat(5_000), 'levels'],
  ['brackets that close too much', ']'.repeat(5_000), undefined],
])('%s', (_what, text, expected) => {
  expect(excessIn(text, { containers: MANY })).toBe(expected);
});

test.each([
  ['{"a":[1,2,{"b":"c"}]}'.repeat(100), undefined],
  [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, undefined],
  ['{"a":'.repeat(1_001), 'levels'],
  [`[${'[],'.repeat(2_600_000)}]`, 'values'],
  [`[${'0,'.repeat(5_100_000)}0]`, 'values'],
  [JSON.stringify(['['.repeat(5_000), '"'.repeat(2_000), '\\'.repeat(2_001), ','.repeat(6_000_000)]), undefined],
])('what is too much of an answer is found by its brackets and commas, not by those in strings', (json, excess) => {
  expect(excessIn(json, MAX_ANSWER_BOUNDS)).toBe(excess);
});
