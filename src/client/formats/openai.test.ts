import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KEYWORDS, PETS, PYDANTIC, TREE, toSpec } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../../protocol/index.ts';
import { toProviderTools } from './index.ts';

function toParameters(schema: JsonObject | null): JsonObject {
  const [tool] = toProviderTools([toSpec(schema)], 'openai');
  return tool?.parameters as JsonObject;
}

function toProperty(schema: JsonObject): unknown {
  return (toParameters({ type: 'object', properties: { it: schema } }).properties as JsonObject).it;
}

describe('the envelope', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

  test('of the Responses API is flat and says that it is not strict', () => {
    expect(toProviderTools([toSpec(parameters)], 'openai')).toEqual([
      { type: 'function', name: 'do_it', description: 'Does it.', parameters, strict: false },
    ]);
  });

  test.each(['openai-chat', 'openrouter'] as const)('of %s has the parameters inside the function', (format) => {
    expect(toProviderTools([toSpec(parameters)], format)).toEqual([
      { type: 'function', function: { name: 'do_it', description: 'Does it.', parameters } },
    ]);
  });

  test('keeps the order and the number of tools', () => {
    const tools = ['b', 'a'].map((name) => ({ ...toSpec(null), name }));
    expect(toProviderTools(tools, 'openai').map(({ name }) => name)).toEqual(['b', 'a']);
    expect(toProviderTools([], 'openai')).toEqual([]);
  });
});

test.each<[string, JsonObject | null, JsonObject]>([
  ['no arguments', null, { type: 'object', properties: {} }],
  ['an object that names no properties', { type: 'object' }, { type: 'object', properties: {} }],
  ['a schema that says nothing', {}, { type: 'object', properties: {} }],
  [
    'what OpenAI refuses beside unions',
    { type: 'object', properties: { a: {} }, not: { required: ['b'] }, enum: [{}] },
    { type: 'object', properties: { a: {} } },
  ],
  [
    'annotations that only cost',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', title: 'T', type: 'object', properties: {} },
    { type: 'object', properties: {} },
  ],
  [
    'keywords that OpenAI reads or passes over',
    { type: 'object', properties: {}, additionalProperties: false, minProperties: 1, 'x-route': 1 },
    { type: 'object', properties: {}, additionalProperties: false, minProperties: 1, 'x-route': 1 },
  ],
  [
    'an allOf at the root',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { a: { minLength: 1 }, b: { type: 'string' } }, required: ['b'] },
      ],
    },
    {
      type: 'object',
      properties: { a: { allOf: [{ type: 'string' }, { minLength: 1 }] }, b: { type: 'string' } },
      required: ['a', 'b'],
    },
  ],
  [
    'a type that contains itself',
    TREE,
    {
      $defs: { Tree: { ...((TREE.$defs as JsonObject).Tree as JsonObject), title: undefined as never } },
      type: 'object',
      properties: ((TREE.$defs as JsonObject).Tree as JsonObject).properties as JsonObject,
      required: ['value'],
    },
  ],
])('the root: %s', (_what, schema, expected) => {
  expect(toParameters(schema)).toEqual(expected);
});

test.each<[string, JsonObject, unknown]>([
  [
    'a union with all its branches',
    { oneOf: [{ title: 'A', type: 'string' }, {}] },
    { oneOf: [{ type: 'string' }, {}] },
  ],
  ['allOf', { allOf: [{ type: 'string' }, { minLength: 1 }] }, { allOf: [{ type: 'string' }, { minLength: 1 }] }],
  ['a list of types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
  ['a title inside a default', { default: { title: 'kept' } }, { default: { title: 'kept' } }],
  ['a title inside a const', { const: { title: 'kept' } }, { const: { title: 'kept' } }],
  ['an object with free keys', { additionalProperties: { title: 'T' } }, { additionalProperties: {} }],
  ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['an array or null', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
  [
    'an array of arrays',
    { type: 'array', items: { type: 'array' } },
    { type: 'array', items: { type: 'array', items: {} } },
  ],
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      maxItems: 2,
    },
  ],
  [
    'a tuple of an old draft',
    { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } },
    { type: 'array', prefixItems: [{ type: 'string' }], items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
  ],
  ['an empty tuple', { type: 'array', prefixItems: [], items: false }, { type: 'array', items: false }],
  ['a remote reference', { $ref: 'https://example.com/schema' }, { $ref: 'https://example.com/schema' }],
])('a property: %s', (_what, schema, expected) => {
  expect(toProperty(schema)).toEqual(expected);
});

test('parameters named like keywords keep their names, and required names them all', () => {
  const names = Object.keys(KEYWORDS);
  const parameters = toParameters({ type: 'object', properties: KEYWORDS, required: names });
  expect(parameters.required).toEqual(names);
  expect(Object.entries(parameters.properties as JsonObject)).toEqual(names.map((name) => [name, { type: 'string' }]));
});

test('definitions and the references to them stay', () => {
  const { $defs, properties } = toParameters(PYDANTIC) as { $defs: JsonObject; properties: JsonObject };
  expect($defs.Point).toEqual({
    description: 'A place on the board.',
    type: 'object',
    properties: { x: { type: 'integer', minimum: 0 }, title: { type: 'string', default: '' } },
    required: ['x'],
  });
  expect(properties.color).toEqual({ $ref: '#/$defs/Color', default: 'red' });
  expect(properties.at).toEqual({ ...((PYDANTIC.properties as JsonObject).at as JsonObject) });
});

describe('a union at the root', () => {
  test('becomes one object, and its forms are told', () => {
    const [tool] = toProviderTools([toSpec(PETS)], 'openai');
    expect(tool?.description).toBe(
      [
        'Does it.',
        '',
        'It takes one of these forms:',
        '- Cat: kind = "cat", lives, name. It purrs.',
        '- Dog: kind = "dog", name, friend (optional)',
      ].join('\n'),
    );
    expect(tool?.parameters).toMatchObject({
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'cat' }, { const: 'dog' }] },
        lives: { type: 'integer' },
        name: { type: 'string' },
        friend: { anyOf: [{ $ref: '#/$defs/Cat' }, { type: 'null' }] },
      },
      required: ['kind', 'name'],
    });
    expect(tool?.parameters).not.toHaveProperty('oneOf');
  });

  test('that only says what must be given keeps the properties beside it', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, path: { type: 'string' }, url: { type: 'string' } },
      required: ['id'],
      anyOf: [{ required: ['path'] }, { required: ['url'] }],
    };
    const [tool] = toProviderTools([toSpec(schema, '')], 'openai');
    expect(tool?.description).toBe('It takes one of these forms:\n- path\n- url');
    const { anyOf: _anyOf, ...parameters } = schema;
    expect(tool?.parameters).toEqual(parameters);
  });

  test('passes over branches that no tool can be called with', () => {
    const [tool] = toProviderTools(
      [toSpec({ anyOf: [{ properties: { a: {} }, required: ['a'] }, { type: 'null' }] })],
      'openai',
    );
    expect(tool).toMatchObject({ description: 'Does it.', parameters: { properties: { a: {} }, required: ['a'] } });
  });

  test('may hold further unions and itself', () => {
    const schema = { anyOf: [{ oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, { $ref: '#' }] };
    expect(toParameters(schema)).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  });

  test('leaves no reference that points into a branch', () => {
    const schema = {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { type: 'object', properties: { b: { $ref: '#/anyOf/0/properties/a' } } },
      ],
    };
    expect(toParameters(schema).properties).toEqual({ a: { type: 'string' }, b: { type: 'string' } });
  });
});

const zodSchema = z.toJSONSchema(
  z.object({
    query: z.string().min(1).describe('What to look for'),
    how: z.union([z.literal('exact'), z.literal('fuzzy')]).default('exact'),
    range: z.tuple([z.number(), z.number()]).optional(),
    filter: z.discriminatedUnion('by', [
      z.object({ by: z.literal('age'), age: z.int() }),
      z.object({ by: z.literal('name'), name: z.string().nullable() }),
    ]),
  }),
  { io: 'input' },
) as JsonObject;

// Each with inputs that it takes: the schema the model sees must take them too.
test.each<[string, JsonObject, JsonObject[]]>([
  ['pydantic', PYDANTIC, [{ steps: [{ x: 1 }], pair: [1, 2], scores: { a: 1 }, ratio: 0.5, extra: [], at: null }]],
  ['zod', zodSchema, [{ query: 'q', range: [1, 2], filter: { by: 'name', name: null } }]],
  [
    'a union at the root',
    PETS,
    [
      { kind: 'cat', lives: 9, name: 'a' },
      { kind: 'dog', name: 'b', friend: null },
    ],
  ],
  ['a type that contains itself', TREE, [{ value: 1, children: [{ value: 2, children: [] }] }]],
])('%s: what comes out is JSON Schema 2020-12 and takes every right input', (_what, schema, inputs) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const [before, after] = [ajv.compile(schema), ajv.compile(toParameters(schema))];
  for (const input of inputs) expect([before(input), after(input)], JSON.stringify(after.errors)).toEqual([true, true]);
});

test('a tool is typed as its provider has it', () => {
  const [tool] = toProviderTools([toSpec(null)], 'openai-chat');
  const parameters: 'object' | undefined = tool?.function.parameters.type;
  // @ts-expect-error: in Chat Completions the name is inside the function
  const name = tool?.name;
  expect([parameters, name]).toEqual(['object', undefined]);
  // @ts-expect-error: there is no such format
  expect(() => toProviderTools([], 'mistral')).toThrow("unknown provider format 'mistral' (available: openai, ");
});
