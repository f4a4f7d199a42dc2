import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';
import { accepts } from '../referee/accepts.ts';
import { generateInput } from '../referee/generate-input.ts';
import type { Leaf } from './leaves.ts';

const LONG = 10_000;

const TEXTS: readonly string[] = [
  '',
  ' ',
  'a'.repeat(LONG),
  'Ünïcode ☃ 🙂 \u202e\u0301',
  '\'; "<b>" \\ $(x) `y` %s ../..\n\t',
  '0',
  '-1',
  '1e999',
  'NaN',
  'null',
  '__proto__',
];

const NUMBERS: readonly number[] = [
  0,
  -1,
  0.5,
  1e-9,
  2 ** 31,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  1e300,
];

/** Inputs at the edges of what a schema allows, each with one odd value. */
export function edgeInputs(schema: JsonObject | null): JsonObject[] {
  const plain = generateInput(schema);
  if (schema === null || plain === undefined) return [];
  const isAllowed = accepts(schema);
  return propertiesOf(schema)
    .flatMap(([name, property]) => edgesOf(property).map((value) => ({ ...plain, [name]: value })))
    .filter((input) => isAllowed(input));
}

/** Inputs that hand a value of the task to a tool: what an agent would send that knows it. */
export function insiderInputs(schema: JsonObject | null, leaves: readonly Leaf[]): JsonObject[] {
  const plain = generateInput(schema);
  if (schema === null || plain === undefined) return [];
  const isAllowed = accepts(schema);
  const inputs = leaves.flatMap(({ value }) =>
    propertiesOf(schema).flatMap(([name]) => [value, String(value)].map((each) => ({ ...plain, [name]: each }))),
  );
  const texts = new Set(inputs.filter((input) => isAllowed(input)).map((input) => JSON.stringify(input)));
  return [...texts].map((text) => JSON.parse(text) as JsonObject);
}

function propertiesOf({ properties }: JsonObject): [name: string, schema: JsonValue][] {
  return isObject(properties) ? Object.entries(properties as JsonObject) : [];
}

function edgesOf(property: JsonValue): JsonValue[] {
  if (!isObject(property)) return [...TEXTS, ...NUMBERS, null, [], {}];
  const { enum: allowed, minimum, maximum, minLength, maxLength, minItems, maxItems, items } = property as JsonObject;
  if (Array.isArray(allowed)) return allowed;
  const lengths = [minLength, maxLength].filter((length) => typeof length === 'number' && length <= LONG * 100);
  const counts = [minItems, maxItems].filter((count) => typeof count === 'number' && count <= LONG);
  const item = plainItem(items);
  return [
    ...[minimum, maximum].filter((bound) => typeof bound === 'number'),
    ...lengths.map((length) => 'x'.repeat(length as number)),
    ...counts.map((count) => Array.from({ length: count as number }, () => item)),
    ...TEXTS,
    ...NUMBERS,
    true,
    false,
    null,
    [],
    {},
  ];
}

function plainItem(items: JsonValue | undefined): JsonValue {
  const holder = { type: 'object', properties: { item: items ?? {} }, required: ['item'] };
  return generateInput(holder)?.item ?? 'a';
}
