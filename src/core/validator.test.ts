import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../protocol/index.ts';
import { formatProblems } from './problems.ts';
import { validatorOf } from './validator.ts';

/** The schema of parameters. */
function parameters(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

/** The value as a tool would see it, or the message that refuses it. */
function check(schema: JsonObject, value: unknown, { lenient = true } = {}): unknown {
  const checked = validatorOf(schema, 'the schema', { lenient })(structuredClone(value));
  return checked.ok ? checked.value : formatProblems(checked.problems);
}

/** Checks one parameter. */
function checkOne(schema: JsonValue, value: unknown, more?: JsonObject): unknown {
  const checked = check(parameters({ p: schema }, more), { p: value });
  return typeof checked === 'string' ? checked : (checked as { p?: unknown }).p;
}

test.each<[type: JsonValue, given: string, seen: unknown]>([
  ['number', '42', 42],
  ['number', ' -1.5 ', -1.5],
  ['number', '+.5e-3', 0.0005],
  ['number', '7.', 7],
  ['integer', '42', 42],
  ['integer', '42.0', 42],
  ['boolean', 'true', true],
  ['boolean', 'False', false],
  [['integer', 'null'], '5', 5],
  [['number', 'boolean'], 'true', true],
  [['number', 'string'], '5', '5'],
])('%j takes the string %j as %j', (type, given, seen) => {
  expect(checkOne({ type }, given)).toBe(seen);
});

test.each<[type: string, given: unknown, message: string]>([
  ['number', 'forty', 'p: Must be a number'],
  ['number', '', 'p: Must be a number'],
  ['number', '0x10', 'p: Must be a number'],
  ['number', '1e999', 'p: Must be a number'],
  ['number', 'NaN', 'p: Must be a number'],
  ['number', true, 'p: Must be a number'],
  ['integer', '1.5', 'p: Must be an integer'],
  ['integer', 1.5, 'p: Must be an integer'],
  ['integer', '9007199254740993', 'p: Must be an integer'],
  ['boolean', 'yes', 'p: Must be a boolean'],
  ['boolean', 1, 'p: Must be a boolean'],
  ['string', 5, 'p: Must be a string'],
  ['string', true, 'p: Must be a string'],
  ['array', '[1]', 'p: Must be an array'],
  ['object', '{}', 'p: Must be an object'],
])('%s refuses %j rather than lose or guess something', (type, given, message) => {
  expect(checkOne({ type }, given)).toBe(message);
});

test('strings are coerced inside arrays and nested objects', () => {
  const schema = parameters({ list: { type: 'array', items: parameters({ n: { type: 'number' } }) } });
  expect(check(schema, { list: [{ n: '1' }, { n: 2 }, { n: '3' }] })).toEqual({ list: [{ n: 1 }, { n: 2 }, { n: 3 }] });
});

test('a coerced value still has to fit the rest of the schema', () => {
  expect(checkOne({ type: 'integer', maximum: 10 }, '11')).toBe('p: Must be <= 10');
});

test('without leniency nothing is coerced and null is no absence', () => {
  const schema = parameters({ p: { type: 'number' } });
  for (const p of ['42', null]) expect(check(schema, { p }, { lenient: false })).toBe('p: Must be a number');
});

test('a very long string of digits that is no number is refused at once', () => {
  const begun = performance.now();
  expect(checkOne({ type: 'number' }, `${'1'.repeat(50_000)}x`)).toBe('p: Must be a number');
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test('defaults are filled in at every level, and each call gets its own', () => {
  const schema = parameters({
    n: { type: 'integer', default: 3 },
    list: { type: 'array', default: [] },
    nested: parameters({ deep: { type: 'string', default: 'x' } }, { default: {} }),
  });
  const first = check(schema, {}) as { list: number[] };
  expect(first).toEqual({ n: 3, list: [], nested: { deep: 'x' } });
  first.list.push(1);
  expect(check(schema, {})).toMatchObject({ list: [] });
});

test.each<[what: string, schema: JsonValue]>([
  ['a plain type', { type: 'integer' }],
  ['a reference', { $ref: '#/$defs/Color' }],
  ['a reference inside allOf', { allOf: [{ $ref: '#/$defs/Color' }] }],
  ['a union', { anyOf: [{ type: 'integer' }, { type: 'boolean' }] }],
])('null for an optional parameter of %s counts as absent', (_what, schema) => {
  const $defs = { Color: { enum: ['red', 'blue'] } };
  expect(check(parameters({ p: schema }, { $defs }), { p: null })).toEqual({});
});

test('null for an optional parameter with a default gives the default', () => {
  expect(checkOne({ type: 'integer', default: 3 }, null)).toBe(3);
  expect(checkOne({ $ref: '#/$defs/Color', default: 'red' }, null, { $defs: { Color: { enum: ['red'] } } })).toBe(
    'red',
  );
});

test.each<[what: string, schema: JsonObject, value: unknown, outcome: unknown]>([
  [
    'a required parameter',
    parameters({ p: { type: 'string' } }, { required: ['p'] }),
    { p: null },
    'p: Must be a string',
  ],
  [
    'an item of a list',
    parameters({ p: { type: 'array', items: { type: 'number' } } }),
    { p: [null] },
    'p.0: Must be a number',
  ],
  [
    'an entry of a dictionary',
    { type: 'object', additionalProperties: { type: 'number' } },
    { p: null },
    'p: Must be a number',
  ],
  ['a parameter that may be null', parameters({ p: { type: ['string', 'null'] } }), { p: null }, { p: null }],
  ['a parameter without a type', parameters({ p: {} }), { p: null }, { p: null }],
])('null stays null for %s', (_what, schema, value, outcome) => {
  expect(check(schema, value)).toEqual(outcome);
});

const shapes = [
  parameters({ kind: { const: 'circle' }, size: { type: 'number' } }, { required: ['kind', 'size'] }),
  parameters(
    {
      kind: { const: 'label' },
      size: { type: 'string' },
      note: { type: ['string', 'null'] },
      turn: { type: 'integer' },
    },
    { required: ['kind', 'size', 'note'] },
  ),
];

test.each(['anyOf', 'oneOf'])('in %s, a value is mended for the branch that it belongs to', (keyword) => {
  const union = { type: 'object', [keyword]: shapes };
  expect(check(union, { kind: 'circle', size: '5' })).toEqual({ kind: 'circle', size: 5 });
  const label = { kind: 'label', size: '5', note: null };
  expect(check(union, { ...label, turn: '90' })).toEqual({ ...label, turn: 90 });
  expect(check(union, { kind: 'square' })).toBe('kind: Must be one of "circle", "label"');
});

describe('a union whose forms have a constant each', () => {
  const form = (kind: string, more: JsonObject = {}) =>
    parameters({ ...more, kind: { type: 'string', const: kind } }, { required: ['kind', ...Object.keys(more)] });
  const circle = form('circle', { size: { type: 'number' } });
  const square = form('square', { side: { type: 'number' } });
  const shape = { oneOf: [circle, square] };

  test('tells what is wrong with the form that is meant, and nothing of the others', () => {
    expect(checkOne(shape, { kind: 'square', side: [] })).toBe('p.side: Must be a number');
    expect(checkOne(shape, { kind: 'square' })).toBe('p.side: Is required');
  });

  test('tells which constants there are', () => {
    expect(checkOne(shape, { kind: 'oval' })).toBe('p.kind: Must be one of "circle", "square"');
    expect(checkOne(shape, { size: 1 })).toBe('p.kind: Is required');
    expect(checkOne(shape, 'circle')).toBe('p: Must be an object');
  });

  test('may have forms that are not objects, and unions inside', () => {
    const union = { anyOf: [{ oneOf: [circle, square] }, form('line'), { type: 'null' }, { type: 'integer' }] };
    for (const value of [null, 5, { kind: 'line' }, { kind: 'circle', size: 1 }])
      expect(checkOne(union, value, { required: ['p'] })).toEqual(value);
    expect(checkOne(union, 'x')).toBe('p: Must be an object or null or an integer');
    expect(checkOne(union, { kind: 'x' })).toBe('p.kind: Must be one of "circle", "square", "line"');
  });

  test('has its constants mended as any other value', () => {
    const numbered = (version: number) =>
      parameters({ version: { type: 'integer', const: version } }, { required: ['version'] });
    expect(checkOne({ oneOf: [numbered(1), numbered(2)] }, { version: '2' })).toEqual({ version: 2 });
  });

  test('gets the defaults of the form that is meant', () => {
    const dotted = form('dotted');
    const union = {
      oneOf: [circle, { ...dotted, properties: { ...(dotted.properties as JsonObject), gap: { default: 2 } } }],
    };
    expect(checkOne(union, { kind: 'dotted' })).toEqual({ kind: 'dotted', gap: 2 });
  });

  test('may share a constant; then each form is tried', () => {
    const union = { anyOf: [circle, form('circle', { radius: { type: 'number' } })] };
    expect(checkOne(union, { kind: 'circle', radius: 1 })).toEqual({ kind: 'circle', radius: 1 });
  });

  test('may be referred to from elsewhere', () => {
    const schema = parameters({ p: shape, q: { $ref: '#/properties/p/oneOf/1' } });
    expect(check(schema, { p: { kind: 'circle', size: 1 }, q: { kind: 'square', side: 1 } })).toBeTypeOf('object');
    expect(check(schema, { q: { kind: 'circle', size: 1 } })).toBeTypeOf('string');
  });
});

test('a mistake behind a reference is found when the schema is compiled', () => {
  const schema = parameters(
    { p: { $ref: '#/$defs/a' } },
    { $defs: { a: parameters({ b: { $ref: '#/$defs/none' } }) } },
  );
  expect(() => check(schema, {})).toThrow('is not a valid JSON Schema');
  // And once more, as when a module is loaded again after a change.
  expect(() => check(schema, {})).toThrow("can't resolve reference #/$defs/none");
});

test('references are followed, recursive ones too', () => {
  const tree = parameters(
    { root: { $ref: '#/$defs/Node' } },
    {
      $defs: {
        Node: parameters({ value: { type: 'number' }, next: { $ref: '#/$defs/Node' } }, { required: ['value'] }),
      },
    },
  );
  expect(check(tree, { root: { value: '1', next: { value: 2 } } })).toEqual({ root: { value: 1, next: { value: 2 } } });
  expect(check(tree, { root: { value: 1, next: {} } })).toBe('root.next.value: Is required');
});

test('nesting deeper than the stack is refused, not fatal', () => {
  const schema = parameters({ next: { $ref: '#' } }, { additionalProperties: false });
  const deep = JSON.parse(`${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`);
  const checked = validatorOf(schema, 'the schema', { lenient: true })(deep);
  expect(checked).toEqual({ ok: false, problems: [{ path: [], message: 'Is nested too deeply' }] });
});

test.each<[dialect: string, schema: JsonObject, right: object, wrong: object]>([
  [
    'draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...parameters({ pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/definitions/N' }] } }),
      definitions: { N: { type: 'number' } },
    },
    { pair: ['a', 1] },
    { pair: ['a', {}] },
  ],
  [
    '2020-12, named',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...parameters({ pair: { type: 'array', prefixItems: [{ type: 'string' }, { $ref: '#/$defs/N' }] } }),
      $defs: { N: { type: 'number' } },
    },
    { pair: ['a', 1] },
    { pair: ['a', {}] },
  ],
  [
    '2020-12, by default',
    parameters({ a: {}, b: {} }, { dependentRequired: { a: ['b'] }, unevaluatedProperties: false }),
    { a: 1, b: 2 },
    { a: 1 },
  ],
])('the keywords of %s are enforced', (_dialect, schema, right, wrong) => {
  expect(check(schema, right)).toEqual(right);
  expect(check(schema, wrong)).toBeTypeOf('string');
});

test.each(['constructor', 'toString', 'hasOwnProperty', 'title', 'type', 'properties', 'default'])(
  'a parameter may be called %s',
  (name) => {
    const required = parameters({ [name]: { type: 'integer' } }, { required: [name], additionalProperties: false });
    expect(check(required, { [name]: '5' })).toEqual({ [name]: 5 });
    expect(check(required, {})).toBe(`${name}: Is required`);
    expect(check(parameters({ [name]: { type: 'integer' } }), {})).toEqual({});
    expect(check(parameters({ [name]: { type: 'integer' } }), { [name]: null })).toEqual({});
  },
);

// Known and not worth its cost: Ajv takes the inherited member for a given value.
test.fails('a parameter called constructor takes its default', () => {
  expect(check(parameters({ constructor: { type: 'integer', default: 3 } }), {})).toEqual({ constructor: 3 });
});

test('unknown parameters pass unless the schema forbids them', () => {
  expect(check(parameters({}), { extra: 1 })).toEqual({ extra: 1 });
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    expect(check(parameters({}, { [keyword]: false }), { extra: 1 })).toBe('extra: Is not a known parameter');
  }
});

test.each<[schema: JsonObject, value: unknown, message: string]>([
  [{ type: ['number', 'null'] }, [], 'p: Must be a number or null'],
  [{ enum: ['easy', 5] }, 'x', 'p: Must be one of "easy", 5'],
  [{ const: { a: 1 } }, 'x', 'p: Must be {"a":1}'],
  [{ minimum: 1 }, 0, 'p: Must be >= 1'],
  [{ minLength: 2 }, 'a', 'p: Must NOT have fewer than 2 characters'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'x', 'p: Must be an integer or null'],
  [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }, 'x', 'p: Must be one of "a", "b" or null'],
  [{ anyOf: [{ pattern: '^a' }, { type: 'null' }] }, 'x', 'p: Must match one of the allowed forms'],
  [
    { anyOf: [parameters({ n: { type: 'number' } }), { type: 'null' }] },
    { n: [] },
    'p.n: Must be a number; p: Must match one of the allowed forms',
  ],
  [
    { type: 'array', items: { type: 'number' } },
    Array(12).fill('x'),
    `${Array.from({ length: 10 }, (_, at) => `p.${at}: Must be a number; `).join('')}and 2 more`,
  ],
])('%j refuses %j with the place and what was expected', (schema, value, message) => {
  expect(checkOne(schema, value)).toBe(message);
});

describe('uniqueItems', () => {
  const schema: JsonObject = { type: 'array', uniqueItems: true };

  test.each<[items: unknown[], isUnique: boolean]>([
    [[1, 2, 'a', null, true], true],
    [[1, '1', true, 'true', null, 'null'], true],
    [
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
      true,
    ],
    [[{ a: 1 }, '{"a":1}', [1], '[1]'], true],
    [[1, 2, 1], false],
    [[null, null], false],
    [[0, -0], false],
    [
      [
        { a: 1, b: [{ c: 1, d: 2 }] },
        { b: [{ d: 2, c: 1 }], a: 1 },
      ],
      false,
    ],
    [
      [
        [1, [2]],
        [1, [2]],
      ],
      false,
    ],
  ])('of %j: %s', (items, isUnique) => {
    const problem = 'p: Must NOT have duplicate items';
    expect(checkOne(schema, items)).toEqual(isUnique ? items : problem);
    expect(checkOne({ type: 'array', uniqueItems: false }, items)).toEqual(items);
  });

  test('a hundred thousand objects are looked through at once', () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(checkOne(schema, items)).toHaveLength(items.length);
  });
});

test('every problem is told at once', () => {
  const schema = parameters({ a: { type: 'string' }, b: { type: 'number' } }, { required: ['a', 'b', 'c'] });
  expect(check(schema, { a: 1, b: [] })).toBe('c: Is required; a: Must be a string; b: Must be a number');
});

test('a key with a slash or a tilde is named as it is', () => {
  expect(check(parameters({ 'a/b~c': { type: 'number' } }), { 'a/b~c': 'x' })).toBe('a/b~c: Must be a number');
  expect(check(parameters({ 'a/b~c': { type: 'number' } }), { 'a/b~c': '5' })).toEqual({ 'a/b~c': 5 });
});

test('two schemas may have the same $id', () => {
  const schema = (type: string) => parameters({ p: { type } }, { $id: 'https://example.com/input' });
  expect(check(schema('number'), { p: '5' })).toEqual({ p: 5 });
  expect(check(schema('string'), { p: '5' })).toEqual({ p: '5' });
});

test('keywords of an author and unknown formats are no error', () => {
  expect(checkOne({ type: 'string', format: 'no-such-format', 'x-unit': 'm' }, 'anything')).toBe('anything');
});

test('what is no JSON Schema is refused when it is compiled, and the message says where', () => {
  const compile = () => validatorOf({ type: 'nonsense' }, "tool 'x': its input", { lenient: true });
  expect(compile).toThrow("tool 'x': its input is not a valid JSON Schema");
});
