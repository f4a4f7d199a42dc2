import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/index.ts';
import { type Field, toInputField } from './field.ts';
import { toTypeText } from './type-text.ts';

/** The one parameter of a tool with this schema. */
function parameter(schema: JsonObject, more: JsonObject = {}): Field {
  const field = toInputField({ type: 'object', properties: { it: schema }, ...more });
  const [only] = field.kind === 'object' ? field.fields : [];
  if (only === undefined) throw new Error('the schema was not read as an object');
  return only.field;
}

test.each<[what: string, schema: JsonObject, type: string]>([
  ['a string', { type: 'string' }, 'string'],
  ['an integer with bounds', { type: 'integer', minimum: 1, maximum: 10 }, 'integer 1..10'],
  ['a number with one bound', { type: 'number', minimum: 0 }, 'number >= 0'],
  [
    'bounds that every integer has',
    { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
    'integer',
  ],
  ['an enum', { enum: ['easy', 'hard', 3] }, '"easy" | "hard" | 3'],
  ['an enum with null', { type: ['string', 'null'], enum: ['easy', null] }, '"easy" | null'],
  ['a constant', { const: 'on' }, '"on"'],
  ['a nullable type', { type: ['string', 'null'] }, 'string | null'],
  ["pydantic's Optional", { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null }, 'integer | null'],
  ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
  ['a union of constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, '"a" | "b"'],
  ['several types', { type: ['string', 'number', 'null'] }, 'string | number | null'],
  ['a list', { type: 'array', items: { type: 'string' } }, 'string[]'],
  ['a list of a union', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, 'JSON'],
  [
    'an object',
    { type: 'object', properties: { a: {}, b: { type: 'null' } }, required: ['b'] },
    '{ a?: JSON, b: null }',
  ],
  ['a dictionary', { type: 'object', additionalProperties: { type: 'number' } }, 'JSON'],
  ['anything', {}, 'JSON'],
  ['several schemas at once', { allOf: [{ type: 'string' }, { minLength: 3 }] }, 'JSON'],
  ['an empty choice', { anyOf: [] }, 'JSON'],
])('%s is read for what it is', (_what, schema, type) => {
  expect(toTypeText(parameter(schema))).toBe(type);
});

const DEFINITIONS = {
  $defs: {
    Level: { type: 'string', enum: ['low', 'high'], description: 'how much' },
    Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, level: { $ref: '#/$defs/Level' } } },
  },
};

test('references into the same document are followed, and what stands beside them wins', () => {
  const field = parameter({ $ref: '#/$defs/Level', description: 'the level', default: 'low' }, DEFINITIONS);
  expect(field).toMatchObject({ kind: 'choice', values: ['low', 'high'], description: 'the level', fallback: 'low' });
  expect(parameter({ allOf: [{ $ref: '#/$defs/Level' }] }, DEFINITIONS)).toMatchObject({ description: 'how much' });
  expect(parameter({ anyOf: [{ $ref: '#/$defs/Level' }, { type: 'null' }] }, DEFINITIONS)).toMatchObject({
    kind: 'choice',
    nullable: true,
  });
});

test.each([
  ['a percent sign', '50%', '#/$defs/50%25'],
  ['a stray percent sign', '50%', '#/$defs/50%'],
  ['a slash', 'a/b', '#/$defs/a~1b'],
  ['a slash that is escaped twice', 'a/b', '#/$defs/a%7E1b'],
])('a reference to a name with %s is followed', (_what, name, $ref) => {
  expect(parameter({ $ref }, { $defs: { [name]: { type: 'integer' } } }).kind).toBe('integer');
});

test('a schema that refers to itself, elsewhere or nowhere is asked for as JSON', () => {
  expect(toTypeText(parameter({ $ref: '#/$defs/Node' }, DEFINITIONS))).toBe('{ next?: JSON, level?: "low" | "high" }');
  expect(parameter({ $ref: 'https://example.org/schema' }).kind).toBe('json');
  expect(parameter({ $ref: '#/$defs/Nobody' }).kind).toBe('json');
});

test('definitions that stand for millions of fields are not written out', () => {
  const wide = (next: string) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, { $ref: `#/$defs/${next}` }])),
  });
  const $defs = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`d${at}`, wide(`d${at + 1}`)]));
  expect(toTypeText(parameter({ $ref: '#/$defs/d0' }, { $defs })).length).toBeLessThan(20_000);
});

test('a tool without a schema takes nothing', () => {
  expect(toInputField(null)).toMatchObject({ kind: 'object', fields: [] });
});
