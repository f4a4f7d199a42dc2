import { expect, test } from 'vitest';
import { checkValue, validator } from './validator.ts';

const schema = {
  type: 'object',
  required: ['direction'],
  properties: {
    direction: { enum: ['north', 'south'] },
    steps: { type: 'integer', minimum: 1, maximum: 5 },
    options: { $ref: '#/$defs/options' },
  },
  $defs: { options: { type: 'object', properties: { depth: { type: 'number' } } } },
};

test('a value that fits has no errors', () => {
  expect(checkValue(schema, { direction: 'north', steps: 3 })).toEqual([]);
});

test('each error is told once, at the field that has to change', () => {
  expect(checkValue(schema, { steps: 9, options: { depth: 'x' } }).map(({ path }) => path)).toEqual([
    'direction',
    'steps',
    'options.depth',
  ]);
});

test('a schema that cannot be read finds nothing, because the server has the last word', () => {
  expect(checkValue({ $ref: '#/$defs/missing' }, 1)).toEqual([]);
  expect(checkValue({ type: 'string', pattern: '(' }, 'x')).toEqual([]);
});

test('a part of a schema knows the definitions of the whole', () => {
  expect(validator.isValid({ $ref: '#/$defs/options' }, { depth: 1 }, schema as never)).toBe(true);
  expect(validator.isValid({ $ref: '#/$defs/options' }, { depth: '1' }, schema as never)).toBe(false);
});

test('drafts are read as they name themselves', () => {
  const tuple = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    items: [{ type: 'string' }],
    additionalItems: false,
  };
  expect(checkValue(tuple, ['a'])).toEqual([]);
  expect(checkValue(tuple, ['a', 'b'])).not.toEqual([]);
});
