import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../protocol/index.ts';
import { sampleInput } from './sample-input.ts';

test.each<[string, z.ZodType]>([
  ['texts', z.object({ a: z.string(), b: z.string().min(12), c: z.string().max(2), d: z.string().optional() })],
  ['numbers', z.object({ a: z.number(), b: z.int().min(3), c: z.number().gt(0), d: z.number().max(-2), e: z.int() })],
  ['choices', z.object({ a: z.enum(['up', 'down']), b: z.literal(7), c: z.union([z.boolean(), z.string()]) })],
  ['formats', z.object({ a: z.email(), b: z.uuid(), c: z.iso.datetime(), d: z.url() })],
  ['lists', z.object({ a: z.array(z.string()), b: z.array(z.int().min(1)).min(2), c: z.tuple([z.string()]) })],
  ['nesting', z.object({ a: z.object({ b: z.object({ c: z.boolean() }) }), d: z.string().nullable() })],
  ['defaults', z.object({ a: z.int().default(4), b: z.string() })],
  ['nothing', z.object({})],
])('an input with %s is accepted by its schema', (_, schema) => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const input = sampleInput(json);
  expect(ajv.validate(json, input), JSON.stringify([input, ajv.errors])).toBe(true);
});

test('references are followed, also those that never end', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { node: { $ref: '#/$defs/node' }, size: { allOf: [{ type: 'integer' }, { minimum: 3 }] } },
    required: ['node', 'size'],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
  };
  expect(sampleInput(schema)).toMatchObject({ node: { next: { next: {} } }, size: 3 });
});

test('a tool without a schema gets an empty input', () => {
  expect(sampleInput(null)).toEqual({});
});
