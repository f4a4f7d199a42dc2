import { expect, test } from 'vitest';
import { toTypeText } from './type-text.ts';

test.each([
  [{ type: 'integer', minimum: 1, maximum: 5, default: 1 }, 'integer, 1 to 5, default 1'],
  [{ type: 'string' }, ''],
  [{ type: 'string', maxLength: 80 }, 'at most 80 characters'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ type: 'string', enum: ['a', 'b'] }, ''],
  [{ const: 3 }, 'always 3'],
  [{ type: 'number', exclusiveMinimum: 0 }, 'number, above 0'],
  [{ type: 'array', minItems: 2 }, 'array, at least 2 items'],
  [true, ''],
])('%j takes: %s', (schema, text) => {
  expect(toTypeText(schema)).toBe(text);
});
