import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_LEVELS, nestingExcess, reachesPrototype } from './json-text.ts';

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
    const text = wrap(JSON.stringify(value), MAX_LEVELS - levels);
    expect(nestingExcess(text, MANY)).toBe(measure(value)[0] > levels ? 'levels' : undefined);
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
  const text = wrap(`{"a":"${'x'.repeat(MAX_LEVELS)}"},${'[],'.repeat(MAX_LEVELS)}{}`, 1);
  expect(nestingExcess(text, MAX_LEVELS + 3)).toBeUndefined();
  expect(nestingExcess(text, MAX_LEVELS + 2)).toBe('containers');
});

test.each([
  ['an open string', '"'.padEnd(5_000, '['), undefined],
  ['a quote that is escaped', `["${'\\"'.repeat(2_000)}${'['.repeat(2_000)}"]`, undefined],
  ['a backslash that is escaped', `["\\\\",${'['.repeat(2_000)}`, 'levels'],
  ['brackets that nothing closes', '['.repeat(5_000), 'levels'],
  ['brackets that close too much', ']'.repeat(5_000), undefined],
])('%s', (_what, text, expected) => {
  expect(nestingExcess(text, MANY)).toBe(expected);
});

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
