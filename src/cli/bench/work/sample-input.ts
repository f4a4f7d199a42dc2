import { isObject, type JsonObject, type JsonValue } from '../../../protocol/index.ts';

// Schemas may refer to themselves.
const MAX_DEPTH = 8;

/** A small input that a schema most likely accepts: what is required, and nothing more. */
export function sampleInput(schema: JsonObject | null): JsonObject {
  const sample = schema === null ? {} : toSample(schema, { root: schema, depth: 0 });
  return isObject(sample) ? sample : {};
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
}

function toSample(given: JsonValue | undefined, { root, depth }: Place): JsonValue {
  if (!isObject(given) || depth > MAX_DEPTH) return null;
  const schema = merge(given, root);
  const inner = { root, depth: depth + 1 };
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [listed] = [schema.examples, schema.enum].flatMap((list) => (Array.isArray(list) ? list : []));
  if (listed !== undefined) return listed;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return toSample(choices[0], inner);
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, inner);
    case 'array':
      return Array.from({ length: Math.min(toNumber(schema.minItems) ?? 0, 100) }, (_, index) =>
        toSample(Array.isArray(schema.prefixItems) ? schema.prefixItems[index] : schema.items, inner),
      );
    case 'string':
      return sampleString(schema);
    case 'number':
    case 'integer':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** A schema with what it refers to, and all that must hold together, in one. */
function merge(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, allOf, ...merged } = schema;
  const referred = typeof $ref === 'string' ? resolve($ref, root) : undefined;
  for (const part of [referred, ...(Array.isArray(allOf) ? allOf : [])]) {
    if (!isJsonObject(part)) continue;
    const properties = { ...toObject(merged.properties), ...toObject(part.properties) };
    const required = [merged.required, part.required].flatMap((names) => (Array.isArray(names) ? names : []));
    Object.assign(merged, part, { properties, required });
  }
  return merged;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

function resolve(reference: string, root: JsonObject): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<JsonValue | undefined>((value, key) => (isObject(value) ? value[key] : undefined), root);
}

function typeOf({ type, properties, items }: JsonObject): JsonValue | undefined {
  if (Array.isArray(type)) return type.find((each) => each !== 'null') ?? 'null';
  if (type !== undefined) return type;
  return Object.keys(toObject(properties)).length > 0 ? 'object' : items === undefined ? undefined : 'array';
}

function sampleObject({ properties, required }: JsonObject, inner: Place): JsonObject {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const schemas = isObject(properties) ? properties : {};
  return Object.fromEntries(names.map((name) => [name, toSample(schemas[name], inner)]));
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2024-01-01T00:00:00Z',
  date: '2024-01-01',
  time: '00:00:00Z',
  email: 'ada@example.org',
  uri: 'https://example.org/',
  url: 'https://example.org/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

function sampleString({ format, minLength, maxLength }: JsonObject): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  return 'bench'.padEnd(Math.min(toNumber(minLength) ?? 0, 10_000), '.').slice(0, toNumber(maxLength));
}

function sampleNumber(schema: JsonObject): number {
  const step = toNumber(schema.multipleOf) ?? 1;
  const least = toNumber(schema.minimum) ?? above(toNumber(schema.exclusiveMinimum), step);
  const most = toNumber(schema.maximum) ?? above(toNumber(schema.exclusiveMaximum), -step);
  if (least !== undefined) return Math.ceil(least / step) * step;
  return most === undefined || most >= 1 ? step : Math.floor(most / step) * step;
}

function above(bound: number | undefined, step: number): number | undefined {
  return bound === undefined ? undefined : bound + step;
}

function toNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
