import { expect, test } from 'vitest';
import { KEYWORDS, PETS, PYDANTIC, toSpec } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../../protocol/index.ts';
import { toProviderTools } from './index.ts';

test.each<[string, JsonObject | null, JsonObject]>([
  ['no arguments', null, { type: 'object', properties: {} }],
  [
    'titles and dialects',
    { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { title: 'A' } } },
    { type: 'object', properties: { a: {} } },
  ],
  [
    'definitions',
    { type: 'object', properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: { enum: [1, 2] } } },
    { type: 'object', properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: { enum: [1, 2] } } },
  ],
  [
    'a tuple of draft 7, which is no schema of 2020-12',
    { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }], additionalItems: false } } },
    {
      type: 'object',
      properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' }, maxItems: 1 } },
    },
  ],
  [
    'parameters named like keywords',
    { type: 'object', properties: KEYWORDS, required: ['title', '$ref'] },
    {
      type: 'object',
      properties: Object.fromEntries(Object.keys(KEYWORDS).map((name) => [name, { type: 'string' }])),
      required: ['title', '$ref'],
    },
  ],
])('%s', (_what, schema, input_schema) => {
  expect(toProviderTools([toSpec(schema)], 'anthropic')).toEqual([
    { name: 'do_it', description: 'Does it.', input_schema },
  ]);
});

test.each([
  ['pydantic', PYDANTIC],
  ['a union at the root', PETS],
])('%s: the same schema as for OpenAI', (_what, schema) => {
  const [anthropic] = toProviderTools([toSpec(schema)], 'anthropic');
  const [openai] = toProviderTools([toSpec(schema)], 'openai');
  expect(anthropic).toEqual({ name: 'do_it', description: openai?.description, input_schema: openai?.parameters });
});
