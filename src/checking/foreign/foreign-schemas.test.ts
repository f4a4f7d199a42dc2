import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../protocol/index.ts';
import { ForeignSchemas } from './foreign-schemas.ts';

function schemas(): ForeignSchemas {
  const made = new ForeignSchemas();
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}

const GOOD: JsonObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
// The same in a form that is given to the thread.
const REFERRING: JsonObject = { ...GOOD, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } };

// Backtracks for longer than anybody lives, with what is generated for it.
const PATTERN: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string', minLength: 60, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } },
  required: ['a'],
};

// Each definition is twice the next: thirty of them are a thousand million.
const DOUBLING: JsonObject = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `d${at}`,
      at === 29
        ? { type: 'string' }
        : {
            type: 'object',
            properties: { l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } },
            required: ['l', 'r'],
          },
    ]),
  ),
};

test.each([
  ['simple', GOOD],
  ['not simple', REFERRING],
])('a foreign schema that is %s is evaluated as one of our own would be', (_what, schema) => {
  const foreign = schemas();
  expect(foreign.input(schema)).toEqual({ a: expect.any(String) });
  expect(foreign.input(null)).toEqual({});
  expect(foreign.invalidInputs(schema)[0]).toMatchObject({ what: "without 'a'", input: {} });
  expect(foreign.longInput(schema)?.a).toContain('\u2028');
  expect(foreign.allowed(schema, [{ a: '' }, {}, 5])).toEqual([true, false, false]);
  expect(foreign.problem(schema)).toBeUndefined();
  expect(foreign.problem({ type: 'nothing' })).toMatch(/type/);
  expect(foreign.mistakes(schema, {})).toMatch(/a/);
  expect(foreign.mistakes({ type: 'nothing' }, {})).toBeUndefined();
});

test('a pattern that backtracks is given up at the deadline, and what comes after it is evaluated', () => {
  const foreign = schemas();
  foreign.input(REFERRING);
  const begun = performance.now();
  expect(foreign.allowed(PATTERN, [{ a: 'a'.repeat(100) }])).toEqual([false]);
  // Not tried again.
  expect(foreign.isCostly(PATTERN)).toBe(true);
  expect(foreign.problem(PATTERN)).toMatch(/more than 1000 ms/);
  for (let times = 0; times < 100; times += 1) expect(foreign.input(PATTERN)).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(15_000);
  expect(foreign.input(REFERRING)).toBeDefined();
});

test('definitions that double fill neither the memory nor the time of this process', () => {
  const foreign = schemas();
  const before = process.memoryUsage().heapUsed;
  foreign.input(DOUBLING);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
  expect(foreign.input(REFERRING)).toBeDefined();
});

test('a server with many such schemas costs no more than a few of them', () => {
  const foreign = schemas();
  const begun = performance.now();
  for (let number = 0; number < 1_000; number += 1) {
    const evil = { ...PATTERN, title: `evil ${number}` };
    expect(foreign.allowed(evil, [{ a: 'a'.repeat(100) }])).toEqual([false]);
  }
  expect(performance.now() - begun).toBeLessThan(45_000);
});
