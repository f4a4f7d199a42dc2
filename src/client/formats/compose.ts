import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';
import { isSame } from './distinct.ts';

/** A schema with its `allOf` merged in and its unions set apart: the base must hold, and one branch of every union. */
export interface Composition {
  readonly base: JsonObject;
  readonly unions: readonly (readonly JsonObject[])[];
}

/** Takes a schema without references apart. */
export function compose(schema: JsonObject): Composition {
  const { allOf, anyOf, oneOf, ...own } = schema;
  let base = own;
  const unions: (readonly JsonObject[])[] = [toSchemas(anyOf), toSchemas(oneOf)];
  for (const part of toSchemas(allOf).map(compose)) {
    base = mergeSchemas(base, part.base);
    unions.push(...part.unions);
  }
  return { base, unions: unions.filter((union) => union.length > 0) };
}

/** One schema for what satisfies both; neither may have references or branches. */
export function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const merged = { ...first, ...second };
  for (const [keyword, combine] of Object.entries(COMBINE)) {
    const [one, other] = [first[keyword], second[keyword]];
    if (one !== undefined && other !== undefined) merged[keyword] = combine(one, other);
  }
  return merged;
}

/** One schema for a value that must satisfy both; a plain `allOf` where they differ. */
export function toBoth(first: JsonValue, second: JsonValue): JsonValue {
  return isSame(first, second) ? first : { allOf: [first, second] };
}

/** The texts in a list, of whatever a schema has there. */
export function toStrings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The types a schema names. */
export function toTypes(schema: JsonObject): string[] {
  return typeof schema.type === 'string' ? [schema.type] : toStrings(schema.type);
}

const COMBINE: Readonly<Record<string, (first: JsonValue, second: JsonValue) => JsonValue>> = {
  properties: (first, second) => mergeNamed(first, second, toBoth),
  $defs: (first, second) => mergeNamed(first, second, (one) => one),
  definitions: (first, second) => mergeNamed(first, second, (one) => one),
  required: (first, second) => [...new Set([...toStrings(first), ...toStrings(second)])],
  description: (first, second) => (first === second ? first : `${first} ${second}`),
  nullable: (first, second) => first === true || second === true,
  type: toCommonType,
  enum: toCommonValues,
  minimum: toGreater,
  minLength: toGreater,
  minItems: toGreater,
  minProperties: toGreater,
  maximum: toSmaller,
  maxLength: toSmaller,
  maxItems: toSmaller,
  maxProperties: toSmaller,
};

// `true` allows everything, as {} does; `false` is a branch that nothing can take.
function toSchemas(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => (item === true ? {} : item)).filter((item) => isObject(item));
}

function mergeNamed(
  first: JsonValue,
  second: JsonValue,
  combine: (one: JsonValue, other: JsonValue) => JsonValue,
): JsonValue {
  if (!isObject(first) || !isObject(second)) return isObject(first) ? first : second;
  const merged = new Map(Object.entries(first));
  for (const [name, other] of Object.entries(second)) {
    const one = merged.get(name);
    merged.set(name, one === undefined ? other : combine(one, other));
  }
  return Object.fromEntries(merged);
}

function toCommonType(first: JsonValue, second: JsonValue): JsonValue {
  const [ones, others] = [toTypes({ type: first }), toTypes({ type: second })];
  const within = (types: string[]) => (type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  const common = [...new Set([...ones.filter(within(others)), ...others.filter(within(ones))])];
  // Nothing fits both: the schema is its author's mistake, and half of it says more than none.
  if (common.length === 0) return first;
  return common.length === 1 ? (common[0] ?? first) : common;
}

function toCommonValues(first: JsonValue, second: JsonValue): JsonValue {
  if (!Array.isArray(first) || !Array.isArray(second)) return first;
  const common = first.filter((one) => second.some((other) => isSame(one, other)));
  return common.length === 0 ? first : common;
}

function toGreater(first: JsonValue, second: JsonValue): JsonValue {
  return Number(second) > Number(first) ? second : first;
}

function toSmaller(first: JsonValue, second: JsonValue): JsonValue {
  return Number(second) < Number(first) ? second : first;
}
