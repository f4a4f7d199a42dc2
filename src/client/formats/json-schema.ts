import { isObject, type JsonObject, type JsonValue, mapSubschemas, type ToolSpec } from '../../protocol/index.ts';
import { toTypes } from './compose.ts';
import { toDistinct } from './distinct.ts';
import { inlineRefs } from './refs.ts';
import { type ObjectSchema, toObjectRoot } from './root.ts';

/** A tool for a provider that takes JSON Schema. */
export interface JsonSchemaTool {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
}

/** What OpenAI and Anthropic have in common: JSON Schema 2020-12, definitions included, with a plain object as root. */
export function toJsonSchemaTool({ name, description, input_schema }: ToolSpec): JsonSchemaTool {
  const { schema, forms } = toObjectRoot(inlineRefs(input_schema ?? {}, 'outside-definitions'));
  return { name, description: withForms(description, forms), schema: tidy(schema as JsonObject) as ObjectSchema };
}

/** A tool's description, and what its schema can no longer say. */
export function withForms(description: string, forms: string): string {
  return [description, forms].filter(Boolean).join('\n\n');
}

/**
 * A schema of an array with one schema for its items, which OpenAI and Google insist on. A tuple of an old draft becomes
 * one of 2020-12, which Anthropic insists on.
 */
export function withItems(schema: JsonObject): JsonObject {
  const { items, prefixItems, additionalItems, ...others } = schema;
  if (!toTypes(schema).includes('array') && !Array.isArray(items)) return schema;
  const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  if (tuple.length === 0) return { ...others, items: rest ?? {} };
  const closed = rest === false ? { maxItems: Math.min(tuple.length, Number(schema.maxItems ?? tuple.length)) } : {};
  // OpenAI and Google do not read prefixItems, so the items tell all there may be.
  const members = toDistinct(isObject(rest) ? [...tuple, rest] : tuple);
  return { ...others, prefixItems: tuple, items: toUnion(members), ...closed };
}

function toUnion(schemas: JsonValue[]): JsonValue {
  const [first = {}] = schemas;
  return schemas.length === 1 ? first : { anyOf: schemas };
}

function tidy(schema: JsonObject): JsonObject {
  const tidied = withItems(mapSubschemas(schema, tidy));
  // A text is the annotation; anything else is nothing that we know.
  for (const keyword of ['title', '$schema', '$id']) {
    if (typeof tidied[keyword] === 'string') delete tidied[keyword];
  }
  return tidied;
}
