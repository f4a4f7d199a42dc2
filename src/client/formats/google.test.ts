import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { googleFaults, KEYWORDS, PETS, PYDANTIC, TREE, toSpec } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../../protocol/index.ts';
import { toProviderTools } from './index.ts';

function toTool(schema: JsonObject | null): { description: string; parameters: JsonObject | undefined } {
  const [tool] = toProviderTools([toSpec(schema)], 'google');
  const parameters = tool?.parameters as JsonObject | undefined;
  if (parameters !== undefined) expect(googleFaults(parameters)).toEqual([]);
  return { description: tool?.description ?? '', parameters };
}

function toProperties(schema: JsonObject): JsonObject {
  return (toTool(schema).parameters?.properties ?? {}) as JsonObject;
}

function toProperty(schema: JsonObject): unknown {
  return toProperties({ type: 'object', properties: { it: schema } }).it;
}

const ITEMS_OF_ANY = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }] };

describe('parameters', () => {
  test.each<[string, JsonObject | null, JsonObject | undefined]>([
    ['none, if the tool takes none', null, undefined],
    ['none, if the object is empty', { type: 'object', properties: {}, additionalProperties: false }, undefined],
    [
      'an object, if its keys are free',
      { type: 'object', additionalProperties: { type: 'number' } },
      { type: 'object', description: '(additionalProperties: {"type":"number"})' },
    ],
    [
      'what is required, as far as there is such a property',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      'a whole that contains itself, once',
      { type: 'object', properties: { next: { $ref: '#' } } },
      {
        type: 'object',
        properties: {
          next: { type: 'object', description: '(has the form of the whole input, which is not spelled out here)' },
        },
      },
    ],
  ])('%s', (_what, schema, expected) => {
    expect(toTool(schema).parameters).toEqual(expected);
  });

  test('named like keywords keep their names, and required names them all', () => {
    const names = Object.keys(KEYWORDS);
    const { parameters } = toTool({ type: 'object', properties: KEYWORDS, required: names });
    expect(parameters?.required).toEqual(names);
    expect(Object.entries(parameters?.properties as JsonObject)).toEqual(
      names.map((name) => [name, { type: 'string' }]),
    );
  });

  test('of a union at the root are one object, and its forms are told', () => {
    const { description, parameters } = toTool(PETS);
    expect(description).toContain('- Dog: kind = "dog", name, friend (optional)');
    expect(parameters).toMatchObject({
      type: 'object',
      properties: { friend: { type: 'object', nullable: true, required: ['kind', 'lives', 'name'] } },
      required: ['kind', 'name'],
    });
  });
});

test.each<[string, JsonObject, JsonObject]>([
  ['a const', { const: 'a' }, { type: 'string', enum: ['a'] }],
  ['an enum without a type', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
  ['an enum with null', { enum: ['a', null] }, { type: 'string', nullable: true, enum: ['a'] }],
  ['an enum of numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: '(allowed values: 1, 2)' }],
  [
    'an enum of all sorts',
    { enum: ['a', 1, true], description: 'Which.' },
    {
      anyOf: [
        { type: 'string', description: 'Which.', enum: ['a'] },
        { type: 'integer', description: 'Which. (allowed values: 1)' },
        { type: 'boolean', description: 'Which. (allowed values: true)' },
      ],
    },
  ],
  ['an enum with an empty text', { enum: ['', 'a'] }, { type: 'string', description: '(allowed values: "", "a")' }],
  ['a type or null', { type: ['string', 'null'], minLength: 1 }, { type: 'string', nullable: true, minLength: 1 }],
  ['only null', { type: 'null' }, { type: 'string', description: '(always null)', nullable: true }],
  [
    'several types',
    { type: ['string', 'integer'], description: 'It.', minLength: 1, minimum: 2 },
    {
      anyOf: [
        { type: 'string', description: 'It.', minLength: 1 },
        { type: 'integer', description: 'It.', minimum: 2 },
      ],
    },
  ],
  ['anyOf with null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string', nullable: true }],
  [
    'anyOf with null and more',
    { anyOf: [{ type: 'string' }, { type: 'number' }, { const: null }], default: null },
    {
      anyOf: [
        { type: 'string', nullable: true },
        { type: 'number', nullable: true },
      ],
    },
  ],
  ['oneOf', { oneOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    'properties beside a union',
    {
      description: 'Who.',
      properties: { id: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { properties: { name: { type: 'string' } }, description: 'By name.' }],
    },
    {
      type: 'object',
      description: 'Who. It takes one of these forms:\n- id\n- name (optional). By name.',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
    },
  ],
  [
    'what stands beside a union, if it has no properties',
    {
      description: 'How many.',
      minimum: 1,
      anyOf: [{ type: 'integer' }, { type: 'string', description: 'In words.' }],
    },
    {
      anyOf: [
        { type: 'integer', description: 'How many.', minimum: 1 },
        { type: 'string', description: 'How many. In words.' },
      ],
    },
  ],
  [
    'allOf',
    {
      allOf: [
        { properties: { a: { type: 'number' } }, required: ['a'] },
        { properties: { a: { type: 'integer', minimum: 1 }, b: { type: 'string' } } },
        { properties: { a: { minimum: 3 } } },
      ],
    },
    {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 3 }, b: { type: 'string' } },
      required: ['a'],
    },
  ],
  [
    'what Google has no field for',
    {
      type: 'object',
      properties: { a: { type: 'boolean', examples: [true], $comment: 'c', 'x-a': 1, readOnly: true } },
      patternProperties: { '^b': {} },
      additionalProperties: false,
      not: { required: ['c'] },
    },
    { type: 'object', properties: { a: { type: 'boolean' } } },
  ],
  [
    'bounds',
    { type: 'number', exclusiveMinimum: 0, maximum: 9, multipleOf: 3, default: 6 },
    { type: 'number', description: '(exclusiveMinimum: 0; multipleOf: 3; default: 6)', maximum: 9 },
  ],
  ['a format Google knows', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  ['any other', { type: 'string', format: 'email' }, { type: 'string', description: '(format: "email")' }],
  ['an object that says nothing', { type: 'object', properties: {} }, { type: 'object' }],
  ['an array of anything', { type: 'array' }, { type: 'array', items: ITEMS_OF_ANY }],
  ['anything', {}, { anyOf: [...ITEMS_OF_ANY.anyOf, { type: 'array', items: ITEMS_OF_ANY }] }],
  [
    'a tuple of one type',
    { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }], minItems: 2, maxItems: 2 },
    { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
  ],
  [
    'a tuple of several',
    { type: 'array', items: [{ type: 'integer' }, { type: 'string' }], additionalItems: false },
    {
      type: 'array',
      description: '(items in this order: [{"type":"integer"},{"type":"string"}])',
      items: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      maxItems: 2,
    },
  ],
  [
    'a reference to nowhere',
    { $ref: '#/$defs/constructor', description: 'It.' },
    { type: 'object', description: 'It. (has the form of constructor, which is not spelled out here)' },
  ],
])('a property: %s', (_what, schema, expected) => {
  expect(toProperty(schema)).toEqual(expected);
});

describe('references', () => {
  test('are replaced by what they name, and what is said beside them wins', () => {
    const point = { x: { type: 'integer', minimum: 0 }, title: { type: 'string', description: '(default: "")' } };
    expect(toProperties(PYDANTIC)).toMatchObject({
      color: { type: 'string', description: '(default: "red")', enum: ['red', 'green'] },
      at: { type: 'object', description: 'Where. A place on the board.', nullable: true, properties: point },
      steps: { type: 'array', items: { type: 'object', properties: point, required: ['x'] } },
      pair: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
      limit: { type: 'integer', nullable: true },
    });
  });

  test('end as a note where a type contains itself', () => {
    const end = { type: 'object', description: '(has the form of Tree, which is not spelled out here)' };
    expect(toTool(TREE).parameters).toEqual({
      type: 'object',
      properties: {
        value: { type: 'integer' },
        children: { type: 'array', items: end },
        parent: { ...end, description: `Who holds it. ${end.description}` },
      },
      required: ['value'],
    });
  });

  test('may have escapes, and may narrow what they name', () => {
    const $defs = { 'a/b %': { type: 'string' } };
    const it = { $ref: '#/$defs/a~1b%20%25', minLength: 2 };
    expect(toProperties({ type: 'object', properties: { it }, $defs })).toEqual({
      it: { type: 'string', minLength: 2 },
    });
  });

  test('between many types are spelled out to some depth, and no further', () => {
    const names = Array.from({ length: 20 }, (_, index) => `T${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]));
    const converted = toProperties({ type: 'object', properties, $defs });
    expect(JSON.stringify(converted).length).toBeLessThan(500_000);
    const last = converted.T19 as { properties: JsonObject };
    expect(Object.keys(last.properties)).toEqual(names);
  });
});

test.each<[string, JsonObject]>([
  [
    'unions beside properties that have unions beside properties',
    Array.from({ length: 40 }, (_, depth) => `q${depth}`).reduce<JsonObject>(
      (p, name) => ({ properties: { p }, anyOf: [{ required: ['p'] }, { properties: { [name]: {} } }] }),
      { type: 'string' },
    ),
  ],
  [
    'unions beside unions',
    { allOf: Array.from({ length: 40 }, () => ({ anyOf: [{ minLength: 1 }, { maxLength: 9 }] })) },
  ],
])('%s do not grow without bound', (_what, schema) => {
  expect(JSON.stringify(toTool({ properties: { schema } })).length).toBeLessThan(100_000);
});

test('zod: nothing that Google refuses is left', () => {
  const schema = z.object({
    url: z.url(),
    count: z.int().positive().default(3),
    how: z.enum(['a', 'b']).nullable(),
    level: z.union([z.literal(1), z.literal(2)]),
    map: z.record(z.string(), z.number()),
    pair: z.tuple([z.string(), z.number()], z.boolean()),
    any: z.any(),
    of: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('x'), x: z.string() }),
      z.object({ kind: z.literal('y') }),
    ]),
  });
  const { parameters } = toTool(z.toJSONSchema(schema, { io: 'input' }) as JsonObject);
  expect(parameters?.required).toEqual(['url', 'how', 'level', 'map', 'pair', 'any', 'of']);
  expect(parameters?.properties).toMatchObject({
    url: { type: 'string', description: '(format: "uri")' },
    how: { type: 'string', nullable: true, enum: ['a', 'b'] },
    of: { anyOf: [{ properties: { kind: { enum: ['x'] } } }, { properties: { kind: { enum: ['y'] } } }] },
  });
});
