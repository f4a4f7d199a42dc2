import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toInputCheck, toOutputCheck } from './check.ts';
import { formatProblems } from './problems.ts';

/** The value as a tool would see it, or the message that refuses it. */
async function check(schema: object, value: unknown, { lenient = true } = {}): Promise<unknown> {
  const checked = await toInputCheck(schema, 'the input', { lenient }).check(value);
  return checked.ok ? checked.value : formatProblems(checked.problems);
}

const libraries = {
  zod: z.object({ n: z.int().default(3), flag: z.boolean().optional(), mode: z.enum(['easy', 'hard']).nullish() }),
  ArkType: type({ n: 'number.integer = 3', 'flag?': 'boolean', 'mode?': "'easy' | 'hard' | null" }),
  'plain JSON Schema': {
    type: 'object',
    properties: {
      n: { type: 'integer', default: 3 },
      flag: { type: 'boolean' },
      mode: { enum: ['easy', 'hard', null] },
    },
  },
};

describe.each(Object.entries(libraries))('%s', (_library, schema) => {
  test('coerces, fills in defaults, and takes null for absent', async () => {
    expect(await check(schema, { n: '5', flag: 'true', mode: 'hard' })).toEqual({ n: 5, flag: true, mode: 'hard' });
    expect(await check(schema, {})).toEqual({ n: 3 });
    expect(await check(schema, { n: null, flag: null, mode: null })).toEqual({ n: 3, mode: null });
  });

  test('refuses with the place', async () => {
    expect(await check(schema, { n: 1.5 })).toBe('n: Must be an integer');
    expect(await check(schema, { mode: 'other' })).toMatch(/^mode: Must be .*"easy".*"hard"/);
  });

  test('does none of this when it is strict', async () => {
    expect(await check(schema, { n: '5' }, { lenient: false })).toBe('n: Must be an integer');
    expect(await check(schema, { flag: null }, { lenient: false })).toBe('flag: Must be a boolean');
  });
});

test('a library passes on what its own transforms make of the value', async () => {
  const schema = z.object({ word: z.string().transform((word) => word.length) });
  expect(await check(schema, { word: 'four' })).toEqual({ word: 4 });
});

const apart = (from: number, to: number) => from !== to;

test.each<[what: string, schema: object]>([
  [
    'a refinement of zod',
    z.object({ from: z.number(), to: z.number() }).refine((v) => apart(v.from, v.to), { path: ['to'], error: 'same' }),
  ],
  [
    'an async refinement of zod',
    z
      .object({ from: z.number(), to: z.number() })
      .refine(async (v) => apart(v.from, v.to), { path: ['to'], error: 'same' }),
  ],
])('%s decides, on the mended value', async (_what, schema) => {
  expect(await check(schema, { from: '1', to: '2' })).toEqual({ from: 1, to: 2 });
  expect(await check(schema, { from: '1', to: 1 })).toBe('to: same');
});

test('a narrowing of ArkType decides, and a problem of the whole has no place', async () => {
  const schema = type({ n: 'number' }).narrow(({ n }, context) => n > 3 || context.mustBe('more than 3'));
  expect(await check(schema, { n: '4' })).toEqual({ n: 4 });
  expect(await check(schema, { n: 1 })).toMatch(/^must be more than 3/);
  const nested = type({
    list: type({ n: 'number' })
      .narrow(({ n }) => n > 3)
      .array(),
  });
  expect(await check(nested, { list: [{ n: 4 }, { n: 1 }] })).toMatch(/^list\.1: /);
});

test.each<[what: string, schema: object, given: string, seen: string]>([
  ['the flags of a pattern', z.object({ move: z.string().regex(/^[a-h][1-8]$/i) }), 'E4', 'E4'],
  ['a trim before a length', z.object({ move: z.string().trim().max(2) }), '  e4 ', 'e4'],
  [
    'a lower-casing before a pattern',
    z.object({
      move: z
        .string()
        .toLowerCase()
        .regex(/^[a-h][1-8]$/),
    }),
    'E4',
    'e4',
  ],
])('%s is known to the library and not to JSON Schema: the library decides', async (_what, schema, given, seen) => {
  expect(await check(schema, { move: given })).toEqual({ move: seen });
  expect(await check(schema, { move: 'castle' })).toMatch(/^move: /);
});

test('a schema may refer to itself', async () => {
  const node = z.object({
    value: z.number(),
    get next() {
      return node.optional();
    },
  });
  expect(await check(node, { value: 1, next: { value: '2' } })).toEqual({ value: 1, next: { value: 2 } });
  expect(await check(node, { value: 1, next: {} })).toBe('next.value: Is required');
});

test.each([501, 3_000, 7_000])(
  'a value nested %i deep is refused, whatever a library could still take',
  async (depth) => {
    const nested = JSON.parse(`${'{"next":'.repeat(depth)}{}${'}'.repeat(depth)}`);
    const listed = JSON.parse(`{"list":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    for (const schema of [z.looseObject({}), z.object({ list: z.json().optional() }).loose(), { type: 'object' }]) {
      expect(await check(schema, nested)).toBe('Is nested too deeply');
      expect(await check(schema, listed)).toBe('Is nested too deeply');
    }
  },
);

test.each<[what: string, schema: object]>([
  ['zod', z.object({ list: z.array(z.array(z.url())) })],
  ['ArkType', type({ list: 'string.url[][]' })],
])('a value with more values than a library should list mistakes for never reaches %s', async (_library, schema) => {
  const list = Array.from({ length: 1_000 }, () => Array(200).fill(''));
  expect(await check(schema, { list })).toMatch(/^Must have at most 100000 values in all/);
});

test('values far inside count more, since a library keeps each mistake with its path, for each level', async () => {
  const node = z.object({
    list: z.array(z.url()).optional(),
    get next() {
      return node.optional();
    },
  });
  const nested = (levels: number): object =>
    levels === 0 ? { list: Array(50_000).fill('') } : { next: nested(levels - 1) };
  expect(await check(node, nested(5))).toMatch(/Invalid URL.*and 990 more$/);
  expect(await check(node, nested(100))).toMatch(/^Must have at most 100000 values in all/);
});

test('a value nested as deep as any that a model writes is taken', async () => {
  const nested = JSON.parse(`${'{"next":'.repeat(400)}{}${'}'.repeat(400)}`);
  expect(await check({ type: 'object' }, nested)).toEqual(nested);
});

test('a value nested deeper than the stack is refused, also where the library chokes on it', async () => {
  const node = z.object({
    get next() {
      return node.optional();
    },
  });
  const deep = JSON.parse(`${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`);
  expect(await check(node, deep)).toBe('Is nested too deeply');
});

test('every format of zod can be a parameter', async () => {
  const { email, uuid, url, ipv4, ipv6, cidrv4, base64, jwt, emoji, e164, ulid, nanoid, iso } = z;
  const formats = [email, uuid, url, ipv4, ipv6, cidrv4, base64, jwt, emoji, e164, ulid, nanoid];
  for (const make of [...formats, iso.date, iso.time, iso.datetime, iso.duration]) {
    expect(await check(z.object({ p: make() }), { p: 'not ~ that' })).toMatch(/^p: /);
  }
  expect(await check(z.object({ p: email() }), { p: 'a@example.com' })).toEqual({ p: 'a@example.com' });
});

test.each<[what: string, schema: object, message: RegExp]>([
  ['what JSON has no type for', z.object({ when: z.date() }), /the input cannot be written as JSON Schema/],
  [
    'a library that cannot describe itself',
    { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } },
    /does not describe itself as JSON Schema/,
  ],
])('%s is refused when the tool is defined', (_what, schema, message) => {
  expect(() => toInputCheck(schema, 'the input', { lenient: true })).toThrow(message);
});

test.each<[what: string, schema: object]>([
  ['zod', z.object({ n: z.number() })],
  ['plain JSON Schema', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }],
])('outputs are checked as they are, with nothing mended: %s', async (_library, schema) => {
  const { check } = toOutputCheck(schema, 'the output');
  expect(await check({ n: 5 })).toEqual({ ok: true, value: { n: 5 } });
  expect(await check({ n: '5' })).toMatchObject({ ok: false, problems: [{ path: ['n'] }] });
});
