import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checksumOf } from './checksum.ts';

/** The same value with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

test('the order of keys makes no difference, wherever they are', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (name, input) => {
      const copy = JSON.parse(JSON.stringify(input));
      expect(checksumOf(name, turned(copy))).toBe(checksumOf(name, copy));
    }),
  );
});

test('different questions have different numbers', () => {
  const long = 'x'.repeat(1_000);
  const asked: [name: string, input: unknown][] = [
    ['submit', {}],
    ['submi', { t: 1 }],
    ...['', 'a', 'b', 'ab', 'ba', '0', 0, 1, -1, 0.5, 1e300, true, false, null].map((answer): [string, unknown] => [
      'submit',
      { answer },
    ]),
    ...[[], [[]], [0], [0, 0], [1, 0], [0, 1], {}, { a: {} }].map((answer): [string, unknown] => [
      'submit',
      { answer },
    ]),
    ['submit', { a: 1, b: 2 }],
    ['submit', { a: 2, b: 1 }],
    ['submit', { ab: 1 }],
    ['submit', { text: long }],
    ['submit', { text: `${long}x` }],
    ['submit', { text: `${long}y` }],
    ['submit', { text: `y${long}` }],
    ['hint', {}],
  ];
  const numbers = asked.map(([name, input]) => checksumOf(name, input));
  expect(new Set(numbers).size).toBe(asked.length);
  for (const number of numbers) expect(number).toBe(number >>> 0);
});

test('what is nested deeply, or long, is not looked at in full', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(checksumOf('a', { deep })).toBe(checksumOf('a', { deep }));
  let reads = 0;
  const list = new Proxy(
    Array.from({ length: 1_000_000 }, () => 0),
    {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key);
      },
    },
  );
  checksumOf('a', { list });
  expect(reads).toBeLessThan(1_000);
});
