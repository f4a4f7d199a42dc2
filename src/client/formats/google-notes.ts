import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { toDistinct } from './distinct.ts';
import { type GoogleType, isFormat, isOfType, isOnlyNull, toListed, toValues } from './google-types.ts';

const TOLD: Readonly<Partial<Record<GoogleType, readonly string[]>>> = {
  number: ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['uniqueItems'],
  object: ['additionalProperties'],
};

/** The description of a schema, and in brackets what Google has no field for but a model should know. */
export function tellRest(schema: JsonObject, type: GoogleType): string {
  const notes = [...tellValues(schema, type), ...tellKeywords(schema, type)];
  const description = typeof schema.description === 'string' ? schema.description : '';
  return [description, notes.length > 0 ? `(${notes.join('; ')})` : ''].filter(Boolean).join(' ');
}

function tellValues(schema: JsonObject, type: GoogleType): string[] {
  if (isOnlyNull(schema)) return ['always null'];
  const values = toValues(schema)?.filter((value) => isOfType(value, type)) ?? [];
  if (values.length === 0 || toListed(schema, type) !== undefined) return [];
  return [`allowed values: ${values.map((value) => JSON.stringify(value)).join(', ')}`];
}

function tellKeywords(schema: JsonObject, type: GoogleType): string[] {
  const { format, default: fallback, prefixItems } = schema;
  const told: [string, JsonValue | undefined][] = (TOLD[type] ?? []).map((keyword) => [keyword, schema[keyword]]);
  if (type === 'string' && !isFormat(format, type)) told.push(['format', format]);
  if (type === 'array' && Array.isArray(prefixItems) && toDistinct(prefixItems).length > 1) {
    told.push(['items in this order', prefixItems]);
  }
  if (fallback !== undefined && isOfType(fallback, type)) told.push(['default', fallback]);
  return told
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
}
