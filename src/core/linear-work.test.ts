import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scope, type } from 'arktype';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../protocol/index.ts';
import { toInputCheck } from './check.ts';
import { validatorOf } from './validator.ts';

// Work is counted, not timed: how often a check looks into the value, by whatever engine or library.

/** A value that counts each look into it and into all that is inside it. */
function counted(root: object): { value: object; looks: () => number } {
  let looks = 0;
  // One for each object, since what was checked is known by its identity.
  const proxies = new WeakMap<object, object>();
  const count = <Result>(result: Result): Result => {
    looks += 1;
    return result;
  };
  const wrap = <Value>(value: Value): Value => {
    if (typeof value !== 'object' || value === null) return value;
    const proxy = proxies.get(value) ?? new Proxy(value, handler);
    proxies.set(value, proxy);
    return proxy as Value;
  };
  const handler: ProxyHandler<object> = {
    get: (target, key) => count(wrap(Reflect.get(target, key))),
    has: (target, key) => count(Reflect.has(target, key)),
    ownKeys: (target) => count(Reflect.ownKeys(target)),
    getOwnPropertyDescriptor: (target, key) => count(Reflect.getOwnPropertyDescriptor(target, key)),
  };
  return { value: wrap(root), looks: () => looks };
}

/** How many values there are, and how often a check looks at them. */
async function workOf(schema: object, root: object): Promise<{ ok: boolean; perValue: number }> {
  const { value, looks } = counted(root);
  const { ok } = await toInputCheck(schema, 'the input', { lenient: true }).check(value);
  return { ok, perValue: looks() / valuesIn(root) };
}

/** The same document under a name, by which all its references call it. */
function named($id: string, schema: JsonObject): JsonObject {
  return { $id, ...JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${$id}#`)) };
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1);
}

/** A tree of additions and multiplications; `wrong` is the number of the leaf that is not one. */
type Tree = { kind: string; value?: unknown; left?: Tree; right?: Tree; weight?: number };

function toTree(shape: Shape, wrong: number | undefined): Tree {
  let leaves = 0;
  const leaf = (): Tree => {
    leaves += 1;
    return { kind: 'leaf', value: leaves === wrong ? [] : leaves };
  };
  const node = (levels: number): Tree => {
    if (levels === 0) return leaf();
    const left = node(levels - 1);
    return { kind: 'mul', weight: 5, left, right: shape.kind === 'bush' ? node(levels - 1) : leaf() };
  };
  return node(shape.levels);
}

type Shape = { readonly kind: 'chain' | 'bush'; readonly levels: number };

const ZodTagged = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leaf'), value: z.number() }),
  z.object({
    get left() {
      return ZodTagged;
    },
    get right() {
      return ZodTagged;
    },
    kind: z.literal('add'),
  }),
  z.object({
    get left() {
      return ZodTagged;
    },
    get right() {
      return ZodTagged;
    },
    kind: z.literal('mul'),
  }),
]);

const ZodUntagged = z.union([
  z.object({
    left: z.lazy((): z.ZodType => ZodUntagged),
    right: z.lazy((): z.ZodType => ZodUntagged),
    weight: z.string(),
  }),
  z.object({
    left: z.lazy((): z.ZodType => ZodUntagged),
    right: z.lazy((): z.ZodType => ZodUntagged),
    weight: z.int(),
  }),
  z.object({ value: z.number() }),
]);

const ArkTagged = scope({
  tree: 'leaf | add | mul',
  leaf: { kind: "'leaf'", value: 'number' },
  add: { left: 'tree', right: 'tree', kind: "'add'" },
  mul: { left: 'tree', right: 'tree', kind: "'mul'" },
  root: { tree: 'tree' },
}).export();

const ArkUntagged = scope({
  tree: 'leaf | heavy | light',
  leaf: { value: 'number' },
  heavy: { left: 'tree', right: 'tree', weight: 'number >= 7' },
  light: { left: 'tree', right: 'tree', weight: 'number < 7' },
  root: { tree: 'tree' },
}).export();

const NODE = { $ref: '#/$defs/node' };
const LEAF = {
  type: 'object',
  properties: { kind: { const: 'leaf' }, value: { type: 'number' } },
  required: ['value'],
};

/** An object with two branches; the rest is checked after them. */
function branching(rest: JsonObject, required: string[] = []): JsonObject {
  return { type: 'object', properties: { left: NODE, right: NODE, ...rest }, required: ['left', 'right', ...required] };
}

function plain(node: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { tree: NODE }, required: ['tree'], $defs: { node, ...more } };
}

const tagged = [
  { ...LEAF, required: ['kind', 'value'] },
  branching({ kind: { const: 'add' } }, ['kind']),
  branching({ kind: { const: 'mul' } }, ['kind']),
];

const untagged = [
  LEAF,
  branching({ weight: { type: 'string' } }, ['weight']),
  branching({ weight: { minimum: 7 } }, ['weight']),
  branching({ weight: { minimum: 3 } }, ['weight']),
];

const recursive: Record<string, object> = {
  'zod: a discriminated union': z.object({ tree: ZodTagged }),
  'zod: a union': z.object({ tree: ZodUntagged }),
  'ArkType: a union with a constant': ArkTagged.root,
  'ArkType: a union without one': ArkUntagged.root,
  'oneOf with a constant': plain({ oneOf: tagged }),
  'anyOf with a constant': plain({ anyOf: tagged }),
  'anyOf with a constant, in definitions': plain(
    { anyOf: [{ $ref: '#/$defs/leaf' }, { $ref: '#/$defs/add' }, { $ref: '#/$defs/mul' }] },
    { leaf: tagged[0] as JsonObject, add: tagged[1] as JsonObject, mul: tagged[2] as JsonObject },
  ),
  'oneOf without a constant': plain({ oneOf: untagged }),
  'anyOf without a constant': plain({ anyOf: untagged }),
  'the same twice, by allOf': plain({
    anyOf: [LEAF, { allOf: [branching({}), branching({ weight: { type: 'number' } })] }],
  }),
  'a condition': plain({
    if: branching({ weight: { const: 9 } }, ['weight']),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: branching({}),
    else: { anyOf: [LEAF, branching({})] },
  }),
  'what must not be': plain({ not: branching({ weight: { const: 9 } }, ['weight']), anyOf: [LEAF, branching({})] }),
  'a pattern beside a property': plain({
    ...branching({}),
    required: [],
    patternProperties: { '^(left|right)$': NODE },
  }),
  'a document with a name': { $id: 'https://example.com/tree', ...plain({ anyOf: untagged }) },
  'a document that refers to itself by its name': named('https://example.com/tree', plain({ anyOf: untagged })),
  'a document that refers to itself by a relative name': named('tree', plain({ anyOf: untagged })),
  'draft-07': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...plain({ oneOf: [LEAF, { $ref: '#/definitions/light' }, { $ref: '#/definitions/heavy' }] }),
    definitions: {
      light: branching({ weight: { maximum: 6 } }, ['weight']),
      heavy: branching({ weight: { minimum: 7 } }, ['weight']),
    },
  },
};

// Each look is worth much less than a microsecond.
const MOST_PER_VALUE = 200;

describe.each(Object.entries(recursive))('a tree, by %s', (name, schema) => {
  const isRight = name !== 'a pattern beside a property';

  test('is checked with work in proportion to its values, right or wrong', async () => {
    const shapes = fc.oneof(
      fc.record({ kind: fc.constant('chain' as const), levels: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ kind: fc.constant('bush' as const), levels: fc.integer({ min: 1, max: 9 }) }),
    );
    await fc.assert(
      fc.asyncProperty(shapes, fc.integer({ min: 1, max: 600 }), async (shape, at) => {
        const leaves = shape.kind === 'chain' ? shape.levels + 1 : 2 ** shape.levels;
        const right = await workOf(schema, { tree: toTree(shape, undefined) });
        const wrong = await workOf(schema, { tree: toTree(shape, 1 + (at % leaves)) });
        expect([right.ok, wrong.ok]).toEqual([true, !isRight]);
        expect(Math.max(right.perValue, wrong.perValue)).toBeLessThan(MOST_PER_VALUE);
      }),
      { numRuns: 8, examples: [[{ kind: 'chain', levels: 200 }, 200]] },
    );
  });
});

const plainOnes = Object.entries(recursive).filter(([, schema]) => !('~standard' in schema));

test.each(plainOnes)('by %s, the same values pass as with an engine that follows every way', (_name, schema) => {
  const Engine = '$schema' in schema ? Ajv : Ajv2020;
  const reference = new Engine({ strict: false }).compile(schema as JsonObject);
  const validate = validatorOf(schema as JsonObject, 'the schema', { lenient: false });
  const odd = fc.constantFrom<unknown>(null, 'x', 1, [], {}, [1]);
  const trees = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, odd, tie('leaf'), tie('node')),
    leaf: fc.record({ kind: fc.constantFrom('leaf', 'add', 7), value: fc.oneof(fc.nat(), odd) }, { requiredKeys: [] }),
    node: fc.record(
      {
        kind: fc.constantFrom('add', 'mul', 'leaf'),
        left: tie('tree'),
        right: tie('tree'),
        weight: fc.oneof(fc.nat(12), odd),
      },
      { requiredKeys: [] },
    ),
  })).tree;
  const check = (tree: unknown) => {
    expect(validate({ tree }).ok).toBe(reference({ tree }));
  };
  fc.assert(fc.property(trees, check), { numRuns: 300 });
});

const forms = Array.from({ length: 8 }, (_, at) => ({
  type: 'object',
  properties: { [`k${at}`]: { type: 'number' }, name: { type: 'string' } },
  required: [`k${at}`, 'name'],
}));

const list = (item: object): object => ({ type: 'object', properties: { list: { type: 'array', items: item } } });
const fill = (item: unknown) => (size: number) => ({ list: Array.from({ length: size }, () => structuredClone(item)) });
const keys = (value: unknown) => (size: number) => ({
  list: Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, value])),
});

const wide: Record<string, [schema: object, right: (size: number) => object, wrong: (size: number) => object]> = {
  'zod: addresses': [z.object({ list: z.array(z.url()) }), fill('http://example.com'), fill('')],
  'ArkType: addresses': [type({ list: 'string.url[]' }), fill('http://example.com'), fill('')],
  'words for numbers': [list({ type: 'number' }), fill(1), fill('x')],
  'forms without a constant': [list({ anyOf: forms }), fill({ k7: 1, name: 'a' }), fill({ k8: 1, name: 'a' })],
  'zod: a record': [z.object({ list: z.record(z.string(), z.number()) }), keys(1), keys('x')],
  'keys nobody knows': [
    { type: 'object', properties: { list: { type: 'object', additionalProperties: false } } },
    () => ({ list: {} }),
    keys(1),
  ],
  'a reference in a list': [
    { ...list(NODE), $defs: { node: { type: 'object', properties: { n: { type: 'number' }, next: NODE } } } },
    fill({ n: 1, next: { n: 2 } }),
    fill({ n: 1, next: { n: 'x' } }),
  ],
  'items that must differ': [list({ type: 'array', uniqueItems: true }), fill([1, 2, 3]), fill([1, 2, 1])],
};

describe.each(Object.entries(wide))('a wide value, by %s', (_name, [schema, right, wrong]) => {
  test('is checked with work in proportion to its values, right or wrong', async () => {
    for (const size of [10, 100, 1_000, 6_000, 24_000]) {
      for (const make of [right, wrong]) {
        const { ok, perValue } = await workOf(schema, make(size));
        expect(ok).toBe(make === right);
        expect(perValue).toBeLessThan(MOST_PER_VALUE);
      }
    }
  });
});

test('one wrong leaf is told with its place, and not as often as there are ways to it', async () => {
  const { check } = toInputCheck(recursive['zod: a discriminated union'] as object, 'the input', { lenient: true });
  const path = ['tree', ...Array(14).fill('left'), 'value'];
  const checked = await check({ tree: toTree({ kind: 'chain', levels: 14 }, 1) });
  expect(checked).toEqual({ ok: false, problems: [{ path, message: 'Must be a number' }] });
});
