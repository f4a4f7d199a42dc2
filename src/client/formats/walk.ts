import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';

// Keywords whose value is a schema or a list of schemas.
const DIRECT: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
]);

// Keywords whose value has schemas under names of the author's choice: the names are not keywords.
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A copy of a schema with every schema directly inside it replaced; all that is not a schema stays as it is. */
export function mapSubschemas(
  schema: JsonObject,
  map: (subschema: JsonObject, keyword: string) => JsonObject,
): JsonObject {
  return mapValues(schema, (value, keyword) => {
    const mapOne = (inner: JsonValue): JsonValue => (isObject(inner) ? map(inner, keyword) : inner);
    if (DIRECT.has(keyword)) return Array.isArray(value) ? value.map(mapOne) : mapOne(value);
    return NAMED.has(keyword) && isObject(value) ? mapValues(value, mapOne) : value;
  });
}

/** Whether two pieces of JSON are written the same. */
export function isSame(first: JsonValue, second: JsonValue): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** The values without those that are written like an earlier one. */
export function toDistinct<Value extends JsonValue>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

// Not by assignment: a property may be named __proto__.
function mapValues(object: JsonObject, map: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
