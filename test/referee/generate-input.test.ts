import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { generateInput, generateInvalidInputs, generateLongInput } from '../../src/checking/referee/generate-input.ts';

type Schema = { [key: string]: any };

const ajv = new Ajv2020({ strict: false, validateFormats: false });

function allows(schema: Schema, value: unknown): boolean {
  return ajv.compile(schema)(value);
}

const of = (properties: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});

test('a tool that takes nothing gets nothing', () => {
  expect(generateInput(null)).toEqual({});
  expect(generateInvalidInputs(null)).toEqual([]);
});

test.each<[what: string, schema: Schema, expected: unknown]>([
  ['text', { type: 'string' }, 'probe'],
  ['a short text', { type: 'string', maxLength: 2 }, 'pr'],
  ['a long text', { type: 'string', minLength: 7 }, 'probeaa'],
  ['a text of a pattern', { type: 'string', pattern: '^[A-Z]$' }, 'A'],
  ['a date', { type: 'string', format: 'date' }, '2024-02-29'],
  ['a number', { type: 'number' }, 1],
  ['a number from a minimum', { type: 'integer', minimum: 10 }, 10],
  ['a number below a limit', { type: 'number', exclusiveMaximum: 0 }, -1],
  ['a number in a small range', { type: 'number', minimum: 2.1, maximum: 2.2 }, 2.1],
  ['a multiple', { type: 'integer', multipleOf: 7, minimum: 1 }, 7],
  ['a truth value', { type: 'boolean' }, true],
  ['one of a list', { enum: ['easy', 'hard'] }, 'easy'],
  ['a constant', { const: 5 }, 5],
  ['a default', { type: 'string', default: 'given' }, 'given'],
  ['an example', { type: 'string', examples: ['shown'] }, 'shown'],
  ['an array', { type: 'array', items: { type: 'number' } }, []],
  ['an array with something in it', { type: 'array', items: { type: 'string' }, minItems: 2 }, ['probe', 'probe']],
  ['different items', { type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true }, [1, 2]],
  ['an object', of({ deep: { type: 'string' } }), { deep: 'probe' }],
  ['either', { anyOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
  ['several types', { type: ['null', 'boolean'] }, true],
  ['all of them', { allOf: [of({ a: { const: 1 } }), of({ b: { const: 2 } })] }, { a: 1, b: 2 }],
])('makes %s', (_what, property, expected) => {
  const schema = of({ value: property });
  expect(generateInput(schema)).toEqual({ value: expected });
  expect(allows(schema, { value: expected })).toBe(true);
});

test.each<[string, z.ZodType]>([
  ['texts', z.object({ a: z.string(), b: z.string().min(12), c: z.string().max(2), d: z.string().optional() })],
  ['numbers', z.object({ a: z.number(), b: z.int().min(3), c: z.number().gt(0), d: z.number().max(-2), e: z.int() })],
  ['choices', z.object({ a: z.enum(['up', 'down']), b: z.literal(7), c: z.union([z.boolean(), z.string()]) })],
  ['formats', z.object({ a: z.email(), b: z.uuid(), c: z.iso.datetime(), d: z.url() })],
  ['lists', z.object({ a: z.array(z.string()), b: z.array(z.int().min(1)).min(2), c: z.tuple([z.string()]) })],
  ['nesting', z.object({ a: z.object({ b: z.object({ c: z.boolean() }) }), d: z.string().nullable() })],
  ['defaults', z.object({ a: z.int().default(4), b: z.string() })],
  ['nothing', z.object({})],
])('an input with %s is one that a schema of zod allows', (_, schema) => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  const input = generateInput(json);
  expect(allows(json, input), JSON.stringify(input)).toBe(true);
});

test('references are followed, also those of pydantic, and those that never end', () => {
  const schema = {
    ...of({ node: { $ref: '#/$defs/Node' }, color: { allOf: [{ $ref: '#/$defs/Color' }], description: 'c' } }),
    $defs: {
      Node: {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] }, id: { type: 'string' } },
        required: ['id'],
      },
      Color: { enum: ['red'], type: 'string' },
    },
  };
  expect(generateInput(schema)).toEqual({ node: { id: 'probe' }, color: 'red' });
});

test.each<[what: string, $ref: string, expected: unknown]>([
  ['by names with escapes', '#/$defs/a~1b%20~0', { it: 'escaped' }],
  ['into a list', '#/$defs/choice/anyOf/1', { it: 'listed' }],
  ['that are no valid URI', '#/$defs/50%', undefined],
])('an input for references %s is made as validators read them', (_what, $ref, expected) => {
  const $defs = {
    'a/b ~': { const: 'escaped' },
    choice: { anyOf: [{ const: 'first' }, { const: 'listed' }] },
    '50%': { const: 'half' },
  };
  expect(generateInput(of({ it: { $ref } }, { $defs }))).toEqual(expected);
});

test('a schema that cannot be met, or is none, gets no input', () => {
  expect(generateInput(of({ value: { type: 'string', pattern: '^[0-9]{3}-[x-z]{9}$' } }))).toBeUndefined();
  expect(generateInput({ type: 'thing' })).toBeUndefined();
});

test('inputs are made wrong in every way that the schema forbids, one at a time', () => {
  const schema = of(
    {
      answer: { type: 'string' },
      level: { type: 'integer', minimum: 1, maximum: 3 },
      mode: { enum: ['a'] },
      list: { type: 'array', items: { type: 'number' } },
    },
    { required: ['answer'] },
  );
  const invalid = generateInvalidInputs(schema);
  expect(invalid.map(({ what }) => what)).toEqual([
    "without 'answer'",
    "with an object as 'answer'",
    "with an object as 'level'",
    "with a number below the minimum as 'level'",
    "with a number above the maximum as 'level'",
    "with an object as 'mode'",
    "with a value that is not listed as 'mode'",
    "with a text as 'list'",
    "with an item of the wrong type as 'list'",
  ]);
  expect(invalid.filter(({ input }) => allows(schema, input))).toEqual([]);
});

test('a long input goes where a text of any length may', () => {
  const schema = of({ number: { type: 'number' }, short: { type: 'string', maxLength: 5 }, text: { type: 'string' } });
  const input = generateLongInput(schema);
  expect(input).toMatchObject({ number: 1, short: 'probe' });
  expect(String(input?.text).length).toBeGreaterThan(4096);
  expect(generateLongInput(of({ number: { type: 'number' } }))).toBeUndefined();
});

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(20) }),
  fc.record({ type: fc.constant('string'), maxLength: fc.nat(20) }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -1e6, max: 1e6 }) }),
  fc.record({ type: fc.constant('number'), exclusiveMaximum: fc.integer({ min: -1e6, max: 1e6 }) }),
  fc.record({ type: fc.constant('integer'), multipleOf: fc.integer({ min: 1, max: 100 }), minimum: fc.nat(1000) }),
  fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1 }) }),
  fc.constant({ type: ['boolean', 'null'] }),
);

const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc
      .dictionary(fc.string(), tie('schema'), { maxKeys: 3, noNullPrototype: true })
      .map((properties) => of(properties)),
  ),
}));

test('whatever a schema of the usual kinds asks for, the input is one that it allows', () => {
  fc.assert(
    fc.property(anySchema, (inner) => {
      const schema = of({ value: inner });
      const input = generateInput(schema);
      expect(input).toBeDefined();
      expect(allows(schema, input)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('a format named like a method of all objects is an unknown format', () => {
  for (const format of ['constructor', '__proto__', 'toString'])
    expect(generateInput(of({ value: { type: 'string', format } }))).toEqual({ value: 'probe' });
});
