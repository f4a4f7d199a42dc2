import { isObject, type JsonObject, type JsonValue, resolveRef } from '../../protocol/index.ts';
import { accepts } from './accepts.ts';

// A schema that refers to itself could go on for ever.
const MAX_DEPTH = 8;

const TEXTS = ['probe', 'a', '1', 'A', '1.0.0', 'a@example.org', 'https://example.org/', '/', '0'.repeat(32)];

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', '2024-02-29'],
  ['time', '12:00:00Z'],
  ['date-time', '2024-02-29T12:00:00Z'],
  ['duration', 'PT1S'],
  ['email', 'a@example.org'],
  ['uri', 'https://example.org/'],
  ['url', 'https://example.org/'],
  ['uuid', '7f1f0e9c-8a3b-4c55-9d7e-2b6a4c1d8e0f'],
  ['ipv4', '127.0.0.1'],
  ['ipv6', '::1'],
  ['hostname', 'example.org'],
]);

/** A small value for a schema, mostly one that it allows; `root` is where its references lead. */
export function generateValue(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return 'probe';
  if ('const' in schema) return schema.const as JsonValue;
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  if (example !== undefined) return example;
  if (Array.isArray(schema.enum)) return schema.enum.find((each) => each !== null) ?? null;
  if ('default' in schema && schema.default !== null) return schema.default as JsonValue;
  if (typeof schema.$ref === 'string')
    return generateValue(merged(resolveRef(root, schema.$ref), schema), root, depth + 1);
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    return generateValue([...allOf, rest].map((each) => dereferenced(each, root)).reduce(merged), root, depth + 1);
  }
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices !== undefined) return generateChoice(schema, choices, { root, depth });
  return generateByType(schema, root, depth);
}

function generateChoice(
  schema: JsonObject,
  choices: readonly JsonValue[],
  { root, depth }: { root: JsonObject; depth: number },
): JsonValue {
  const { anyOf: _any, oneOf: _one, ...rest } = schema;
  const values = choices.map((choice) => generateValue(merged(dereferenced(choice, root), rest), root, depth + 1));
  const { $defs = {}, definitions = {} } = root;
  const isAllowed = accepts({ ...schema, $defs, definitions });
  return values.find((value) => value !== null && isAllowed(value)) ?? values.find((value) => value !== null) ?? null;
}

function generateByType(schema: JsonObject, root: JsonObject, depth: number): JsonValue {
  switch (typeOf(schema)) {
    case 'object':
      return generateObject(schema, root, depth);
    case 'array': {
      const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
      const count = Math.min(Math.max(Number(schema.minItems ?? 0), prefix.length), 100);
      const distinct = schema.uniqueItems === true;
      return Array.from({ length: count }, (_, index) => {
        const item = generateValue(prefix[index] ?? schema.items, root, depth + 1);
        if (!distinct || index === 0) return item;
        return typeof item === 'number' ? item + index : typeof item === 'string' ? `${item}${index}` : item;
      });
    }
    case 'integer':
    case 'number':
      return generateNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return generateText(schema);
  }
}

function typeOf(schema: JsonObject): unknown {
  if (Array.isArray(schema.type)) return schema.type.find((each) => each !== 'null') ?? 'null';
  if (schema.type !== undefined) return schema.type;
  if ('properties' in schema || 'required' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string';
}

// Only what is required: the smaller an input, the less there is to go wrong.
function generateObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) => typeof name === 'string');
  const least = Number(schema.minProperties ?? 0);
  const names = [...new Set([...required, ...Object.keys(properties).slice(0, least)])];
  for (let index = names.length; index < Math.min(least, 100); index += 1) names.push(`property${index}`);
  const entries = names.map((name) => [
    name,
    generateValue(properties[name] ?? schema.additionalProperties, root, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function generateNumber(schema: JsonObject): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const numbers = [minimum, exclusiveMinimum, maximum, exclusiveMaximum].filter((each) => typeof each === 'number');
  const candidates = [1, 0, ...numbers.flatMap((edge) => [edge, edge + 1, edge - 1, edge + 0.5, edge - 0.5])];
  const stepped = candidates.flatMap((each) => [Math.ceil(each / step) * step, Math.floor(each / step) * step, each]);
  const isAllowed = accepts({ ...schema, type: schema.type === 'integer' ? 'integer' : 'number' });
  const inRange = numbers.length === 0 && step === 1 ? [1] : stepped;
  const middle = typeof minimum === 'number' && typeof maximum === 'number' ? [(minimum + maximum) / 2] : [];
  return [...inRange, ...middle].find(isAllowed) ?? 1;
}

function generateText(schema: JsonObject): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const fitted = (text: string) => text.padEnd(Number(minLength), 'a').slice(0, Number(maxLength));
  const known = typeof format === 'string' ? FORMATS.get(format) : undefined;
  const candidates = [...(known === undefined ? [] : [known]), ...TEXTS.map(fitted)];
  if (typeof pattern !== 'string') return candidates[0] as string;
  const isAllowed = accepts(schema);
  return candidates.find(isAllowed) ?? fitted('probe');
}

function dereferenced(schema: JsonValue, root: JsonObject): JsonValue | undefined {
  return isObject(schema) && typeof schema.$ref === 'string' ? merged(resolveRef(root, schema.$ref), schema) : schema;
}

// Where schemas stand side by side, properties add up and the later keyword wins.
function merged(left: JsonValue | undefined, right: JsonValue | undefined): JsonObject {
  const [first, second] = [isObject(left) ? left : {}, isObject(right) ? right : {}];
  const { $ref: _reference, ...rest } = second;
  const both: JsonObject = { ...first, ...rest };
  if (isObject(first.properties) && isObject(second.properties))
    both.properties = { ...first.properties, ...second.properties };
  if (Array.isArray(first.required) && Array.isArray(second.required))
    both.required = [...first.required, ...second.required];
  return both;
}
