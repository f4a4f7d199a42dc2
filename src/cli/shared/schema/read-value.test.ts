import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../protocol/index.ts';
import { checkValue } from './check-value.ts';
import { type Field, toInputField } from './field.ts';
import { readValue } from './read-value.ts';

function fieldOf(schema: JsonObject): Field {
  const field = toInputField({ type: 'object', properties: { it: schema } });
  if (field.kind !== 'object' || field.fields[0] === undefined) throw new Error('the schema was not read as an object');
  return field.fields[0].field;
}

test.each<[text: string, schema: JsonObject, value: JsonValue]>([
  ['72', { type: 'string' }, '72'],
  ['null', { type: 'string' }, 'null'],
  ['null', { type: ['string', 'null'] }, null],
  ['7.5', { type: 'number' }, 7.5],
  ['-3', { type: 'integer' }, -3],
  ['yes', { type: 'boolean' }, true],
  ['false', { type: 'boolean' }, false],
  ['hard', { enum: ['easy', 'hard'] }, 'hard'],
  ['3', { enum: [1, 3] }, 3],
  ['[1, 2]', { type: 'array', items: { type: 'number' } }, [1, 2]],
  ['{"a": 1}', { type: 'object', properties: { a: {} } }, { a: 1 }],
  ['5', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 5],
  ['five', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'five'],
  ['true', {}, true],
  ['just text', {}, 'just text'],
])('%j is read by its schema %j', (text, schema, value) => {
  expect(readValue(text, fieldOf(schema))).toEqual({ ok: true, value });
});

test.each<[text: string, schema: JsonObject, problem: string]>([
  ['many', { type: 'number' }, "'many' is not a number"],
  ['', { type: 'number' }, 'is not a number'],
  ['Infinity', { type: 'number' }, 'is not a number'],
  ['1.5', { type: 'integer' }, 'not a whole number'],
  ['maybe', { type: 'boolean' }, 'neither true nor false'],
  ['soft', { enum: ['easy', 'hard'] }, 'one of "easy" | "hard"'],
  ['1, 2', { type: 'array', items: { type: 'number' } }, 'it must be JSON, number[]'],
  ['{}', { type: 'array', items: { type: 'number' } }, 'it must be JSON, number[]'],
  ['[]', { type: 'object', properties: { a: {} } }, 'it must be JSON, { a?: JSON }'],
])('%j does not pass for %j', (text, schema, problem) => {
  expect(readValue(text, fieldOf(schema))).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
});

test('a value is checked against the whole of its schema, references included', () => {
  const field = toInputField({
    type: 'object',
    properties: { it: { $ref: '#/$defs/Tags' } },
    $defs: { Tags: { type: 'array', items: { $ref: '#/$defs/Tag' } }, Tag: { type: 'string', minLength: 2 } },
  });
  if (field.kind !== 'object' || field.fields[0] === undefined) throw new Error('the schema was not read as an object');
  const { schema } = field.fields[0].field;
  expect(checkValue(['ab'], schema)).toBeUndefined();
  expect(checkValue(['a'], schema)).toMatch(/^0: Must NOT have fewer than 2/);
});

test('a schema that makes no sense refuses nothing', () => {
  expect(checkValue('anything', { type: 'nonsense' })).toBeUndefined();
});
