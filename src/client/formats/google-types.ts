import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { toTypes } from './compose.ts';
import { toDistinct } from './distinct.ts';

/** The types of Google's dialect: one a schema, and null is a flag beside it. */
export type GoogleType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

// Google wants a type everywhere, so it is read off the keywords where the author left it out.
const HINTS: Readonly<Record<string, RegExp>> = {
  object: /^(?:properties|required|additionalProperties|patternProperties|propertyNames|(?:min|max)Properties)$/,
  array: /^(?:items|prefixItems|contains|uniqueItems|(?:min|max)Items)$/,
  string: /^(?:pattern|format|(?:min|max)Length)$/,
  number: /^(?:(?:exclusiveM|m)(?:in|ax)imum|multipleOf)$/,
};

// Google refuses a request that has any other.
const FORMATS: Readonly<Partial<Record<GoogleType, readonly string[]>>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

const ANY: readonly GoogleType[] = ['string', 'number', 'boolean', 'object', 'array'];

/** The types that a schema without branches allows, at least one, and whether null is allowed beside them. */
export function toGoogleTypes(schema: JsonObject): { types: GoogleType[]; nullable: boolean } {
  const values = toValues(schema);
  const named = toTypes(schema).filter((type) => type === 'null' || isType(type));
  const all = named.length > 0 ? named : (values?.map(toType) ?? toHinted(schema));
  const types = toDistinct(all.filter(isType));
  const useful = types.filter((type) => values === undefined || values.some((value) => isOfType(value, type)));
  const nullable = schema.nullable === true || all.includes('null') || values?.includes(null) === true;
  // Null alone is no type for Google; a text that may be null comes nearest.
  return { types: useful.length > 0 ? useful : types.length > 0 ? types : ['string'], nullable };
}

/** The values that a schema lists, if it does. */
export function toValues(schema: JsonObject): JsonValue[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** The values that Google can be given as such: only texts, and none of them empty. */
export function toListed(schema: JsonObject, type: GoogleType): string[] | undefined {
  const texts = toValues(schema)?.filter((value) => typeof value === 'string') ?? [];
  const fits = type === 'string' && texts.length > 0 && !texts.includes('');
  return fits ? toDistinct(texts) : undefined;
}

/** Whether a value is of a type. */
export function isOfType(value: JsonValue, type: GoogleType): boolean {
  return toType(value) === type || (type === 'number' && typeof value === 'number');
}

/** Whether a schema allows null and nothing else. */
export function isOnlyNull(schema: JsonObject): boolean {
  const values = toValues(schema);
  return (
    schema.type === 'null' || (values !== undefined && values.length > 0 && values.every((value) => value === null))
  );
}

/** Whether Google takes a format for a type. */
export function isFormat(format: JsonValue | undefined, type: GoogleType): format is string {
  return typeof format === 'string' && FORMATS[type]?.includes(format) === true;
}

function toHinted(schema: JsonObject): readonly string[] {
  const keywords = Object.keys(schema);
  const hinted = Object.entries(HINTS).filter(([, hint]) => keywords.some((keyword) => hint.test(keyword)));
  return hinted.length > 0 ? hinted.map(([type]) => type) : ANY;
}

function toType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isType(type: string): type is GoogleType {
  return type === 'integer' || (ANY as readonly string[]).includes(type);
}
