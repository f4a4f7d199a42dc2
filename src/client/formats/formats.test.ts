import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { googleFaults, KEYWORDS, toSpec } from '../../../test/support/schemas.ts';
import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { type ProviderFormat, toProviderTools } from './index.ts';

const FORMATS: ProviderFormat[] = ['openai', 'openai-chat', 'anthropic', 'google', 'openrouter'];
const REFS = ['A', 'B', 'C'];

const name = fc.oneof(
  fc.constantFrom(...Object.keys(KEYWORDS), 'toString', 'constructor', 'a', 'b', 'c'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
);
const notes: fc.Arbitrary<JsonObject> = fc.record<Record<string, JsonValue>>(
  {
    title: fc.string({ maxLength: 5 }),
    description: fc.string({ maxLength: 9 }),
    default: fc.constantFrom<JsonValue>(null, 1, 'x', { title: 't' }),
    examples: fc.constant<JsonValue>([{ title: 'kept' }]),
    'x-a': fc.constant(1),
  },
  { requiredKeys: [] },
);

const { object } = fc.letrec<{ schema: JsonObject; object: JsonObject; plain: JsonObject }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('plain'), tie('object'), toBranches(tie('schema'))),
      notes,
    )
    .map(([own, noted]) => ({ ...noted, ...own })),
  plain: fc.oneof(
    fc.constantFrom<JsonObject>({}, { type: 'string' }, { type: ['integer', 'null'] }, { type: 'array' }, { const: 1 }),
    fc.constantFrom<JsonObject>({ enum: ['a', 'b', null] }, { type: 'string', format: 'uri' }, { exclusiveMinimum: 1 }),
    fc.constantFrom(...REFS).map((ref) => ({ $ref: `#/$defs/${ref}` })),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('schema'), fc.boolean()), { maxLength: 4, selector: ([key]) => key })
    .map((entries) => ({
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, value]) => [key, value])),
      required: entries.filter(([, , required]) => required).map(([key]) => key),
    })),
}));

function toBranches(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const several = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    inner.map((items) => ({ type: 'array', items })),
    several.map((prefixItems) => ({ type: 'array', prefixItems, items: false })),
    several.map((anyOf) => ({ anyOf })),
    several.map((oneOf) => ({ oneOf })),
  );
}

const root: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.oneof(object, toBranches(object)), fc.tuple(object, object, object))
  .map(([own, definitions]) => ({
    ...own,
    $defs: Object.fromEntries(definitions.map((definition, index) => [REFS[index] ?? '', definition])),
  }));

function convert(input: JsonObject, format: ProviderFormat): JsonObject {
  const [tool] = toProviderTools([toSpec(input)], format) as unknown as JsonObject[];
  const inner = (tool?.function ?? tool) as JsonObject;
  return (inner.parameters ?? inner.input_schema ?? {}) as JsonObject;
}

/** The names of all properties, wherever a schema can have them. */
function namesOf(of: JsonValue | undefined): Set<string> {
  if (typeof of !== 'object' || of === null || Array.isArray(of)) return new Set();
  const { properties = {}, items, prefixItems = [], anyOf = [], oneOf = [], allOf = [] } = of as Record<string, any>;
  const inner = [...Object.values(properties), items, ...prefixItems, ...anyOf, ...oneOf, ...allOf] as JsonValue[];
  return new Set([...Object.keys(properties), ...inner.flatMap((value) => [...namesOf(value)])]);
}

test.each(FORMATS)('%s: every name of a property survives, and the schema it came from is left alone', (format) => {
  fc.assert(
    fc.property(root, (input) => {
      // An array at the root is nothing that a tool can be called with.
      fc.pre(input.type !== 'array');
      const before = JSON.stringify(input);
      const { $defs: _$defs, ...output } = convert(input, format);
      expect([...namesOf(input)].filter((property) => !namesOf(output).has(property))).toEqual([]);
      expect(JSON.stringify(input)).toBe(before);
    }),
    { numRuns: 200 },
  );
});

test('what goes to Google has nothing that Google refuses', () => {
  fc.assert(
    fc.property(root, (input) => {
      const [tool] = toProviderTools([toSpec(input)], 'google');
      expect(tool?.parameters === undefined ? [] : googleFaults(tool.parameters as JsonObject)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('what goes to OpenAI and Anthropic is a JSON Schema with a plain object as root', () => {
  fc.assert(
    fc.property(root, (input) => {
      const output = convert(input, 'openai');
      expect(output).toMatchObject({ type: 'object', properties: {} });
      for (const refused of ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref']) {
        expect(output).not.toHaveProperty([refused]);
      }
      expect(() => new Ajv2020({ strict: false, validateFormats: false }).compile(output)).not.toThrow();
      expect(convert(input, 'anthropic')).toEqual(output);
    }),
    // Each run compiles a validator.
    { numRuns: 50 },
  );
});
