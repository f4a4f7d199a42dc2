import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../protocol/index.ts';
import { slowPatterns } from './slow-patterns.ts';

function growthOf(pattern: string): string | undefined {
  return slowPatterns({ type: 'object', properties: { p: { type: 'string', pattern } } })[0]?.growth;
}

test.each([
  '^(a+)+$',
  '(x+x+)+y',
  '^([a-z]+-?)+$',
  '^(\\w+\\s?)*$',
  '(.*)*x',
  '^(a|a)*$',
  '^(\\w|\\d)+$',
  'x([a-z]|[^b])*$',
])('%s takes exponential time', (pattern) => expect(growthOf(pattern)).toBe('exponential'));

test.each(['^\\S+@\\S+\\.\\S+$', '\\s+$', '.*a.*b.*c'])('%s takes polynomial time', (pattern) => {
  expect(growthOf(pattern)).toBe('polynomial');
});

test.each([
  ...['^[a-z]+(-[a-z]+)*$', '^\\d{4}-\\d\\d$', '^[^@]+@[^@]+$', '^(?:[^"\\\\]|\\\\.)*$', '^(red|green|blue)$', '^.*$'],
  ...['^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', '(a|b)*', '('],
])('%s is no problem', (pattern) => {
  expect(growthOf(pattern)).toBeUndefined();
});

test('no format of zod has such a pattern', () => {
  const { email, uuid, ipv4, ipv6, cidrv4, cidrv6, base64, base64url, jwt, emoji, e164, ulid, nanoid, iso } = z;
  const formats = [email, uuid, ipv4, ipv6, cidrv4, cidrv6, base64, base64url, jwt, emoji, e164, ulid, nanoid];
  const makers: readonly (() => z.ZodType)[] = [...formats, iso.date, iso.time, iso.datetime, iso.duration];
  const shape = makers.map((make, at) => [`p${at}`, make()]);
  expect(slowPatterns(z.toJSONSchema(z.object(Object.fromEntries(shape))) as JsonObject)).toEqual([]);
});

describe('the parameter is named', () => {
  const bad = z.string().regex(/^(a+)+$/);

  test.each<[schema: z.ZodType, parameter: string]>([
    [z.object({ name: bad }), 'name'],
    [z.object({ filter: z.object({ names: z.array(bad) }) }), 'filter.names'],
    [z.object({ name: z.union([bad, z.number()]) }), 'name'],
    [z.object({ names: z.record(bad, z.number()) }), 'names'],
  ])('%#', (schema, parameter) => {
    const found = slowPatterns(z.toJSONSchema(schema) as JsonObject);
    expect(found).toEqual([{ parameter, pattern: '^(a+)+$', growth: 'exponential' }]);
  });

  test('in definitions and keys', () => {
    const schema = { $defs: { id: { pattern: '^(a+)+$' } }, patternProperties: { '(b*)*c': { $ref: '#/$defs/id' } } };
    expect(slowPatterns(schema).map(({ parameter, pattern }) => [parameter, pattern])).toEqual([
      ['', '(b*)*c'],
      ['id', '^(a+)+$'],
    ]);
  });
});
