import { isObject, type JsonObject, type JsonValue } from '../../../protocol/index.ts';
import { resolve } from './resolve.ts';

/** What a schema asks for, as far as a person can be asked for it; `json` is everything that is more involved. */
export type Shape =
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'json' }
  | { readonly kind: 'choice'; readonly values: readonly JsonValue[] }
  | { readonly kind: 'array'; readonly items: Field }
  | { readonly kind: 'object'; readonly fields: readonly NamedField[] }
  | { readonly kind: 'either'; readonly options: readonly Field[] };

/** A schema, read. */
export type Field = Shape & {
  readonly nullable: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** What counts when nothing is given. */
  readonly fallback: JsonValue | undefined;
  /** The schema, complete in itself, for checking a value. */
  readonly schema: JsonObject;
};

/** A property of an object. */
export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

/** Reads the schema of a tool's input; a tool without one takes an empty object. */
export function toInputField(schema: JsonObject | null): Field {
  const root = schema ?? { type: 'object', properties: {} };
  return toField(root, { root, trail: [], budget: { left: MOST_FIELDS } });
}

// A few definitions that refer to each other can stand for millions of fields.
const MOST_FIELDS = 1_000;

interface Place {
  /** The whole document, which references point into. */
  readonly root: JsonObject;
  /** The references that led here: one that comes again has no end. */
  readonly trail: readonly string[];
  /** How many fields may still be read one by one; shared by all places. */
  readonly budget: { left: number };
}

function toField(written: JsonObject, { root, trail, budget }: Place): Field {
  budget.left -= 1;
  const resolved = budget.left < 0 ? undefined : resolve(written, root, trail);
  const schema = resolved?.schema ?? written;
  const place = { root, trail: resolved?.trail ?? trail, budget };
  const only = resolved === undefined ? undefined : onlyAlternative(schema);
  const inner = only === undefined ? undefined : toField(only, place);
  const shape = inner ?? (resolved === undefined ? JSON_SHAPE : toShape(schema, place));
  return {
    ...shape,
    nullable: isNullable(schema) || inner?.nullable === true,
    // What stands beside anyOf describes the whole.
    title: toText(schema.title) ?? inner?.title,
    description: toText(schema.description) ?? inner?.description,
    fallback: schema.default ?? inner?.fallback,
    schema: inner?.schema ?? withDefinitions(schema, root),
  };
}

/** What is left of a choice between something and null. */
function onlyAlternative({ anyOf, oneOf }: JsonObject): JsonObject | undefined {
  const alternatives = [anyOf ?? oneOf].flat().filter(isSchema);
  const [only, ...others] = alternatives.filter(({ type }) => type !== 'null');
  return others.length === 0 ? only : undefined;
}

const JSON_SHAPE = { kind: 'json' } as const;

const SIMPLE: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null'];

function toShape(schema: JsonObject, place: Place): Shape {
  if ('const' in schema) return { kind: 'choice', values: [schema.const as JsonValue] };
  if (Array.isArray(schema.enum)) return toChoice(schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives)) return toEither(schema, alternatives.filter(isSchema), place);
  const types = typesOf(schema);
  if (types.length > 1)
    return toEither(
      schema,
      types.map((type) => ({ ...schema, type })),
      place,
    );
  const [type] = types;
  if (SIMPLE.includes(type)) return { kind: type } as Shape;
  if (type === 'array' || (type === undefined && isObject(schema.items))) return toArray(schema, place);
  return type === 'object' || isObject(schema.properties) ? toObject(schema, place) : JSON_SHAPE;
}

function toChoice(values: readonly JsonValue[]): Shape {
  const chosen = values.filter((value) => value !== null);
  return chosen.length === 0 ? { kind: 'null' } : { kind: 'choice', values: chosen };
}

/** One of several; null among them only means that it may be null. */
function toEither(schema: JsonObject, alternatives: readonly JsonObject[], place: Place): Shape {
  const options = alternatives.filter(({ type }) => type !== 'null').map((each) => toField(each, place));
  if (options.length === 0) return JSON_SHAPE;
  if (options.every((option) => option.kind === 'choice'))
    return { kind: 'choice', values: options.flatMap((option) => (option.kind === 'choice' ? option.values : [])) };
  // Properties beside the alternatives belong to each of them, which asking one by one would forget.
  return isObject(schema.properties) ? JSON_SHAPE : { kind: 'either', options };
}

function toArray({ items, prefixItems }: JsonObject, place: Place): Shape {
  // A list whose places differ is more easily written than asked for.
  if (prefixItems !== undefined || !isSchema(items)) return JSON_SHAPE;
  return { kind: 'array', items: toField(items, place) };
}

function toObject(schema: JsonObject, place: Place): Shape {
  const { properties, required, additionalProperties } = schema;
  if (!isObject(properties)) return additionalProperties === false ? { kind: 'object', fields: [] } : JSON_SHAPE;
  const names = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: names.has(name),
    field: toField(isSchema(property) ? property : {}, place),
  }));
  return { kind: 'object', fields };
}

function typesOf({ type }: JsonObject): readonly JsonValue[] {
  if (!Array.isArray(type)) return type === undefined ? [] : [type];
  return type.length === 1 ? type : type.filter((each) => each !== 'null');
}

function isNullable({ type, enum: values, anyOf, oneOf, nullable }: JsonObject): boolean {
  const alternatives = [anyOf, oneOf].flat().filter(isSchema);
  return (
    nullable === true ||
    [type].flat().includes('null') ||
    (Array.isArray(values) && values.includes(null)) ||
    alternatives.some((each) => each.type === 'null')
  );
}

const SHARED: readonly string[] = ['$schema', '$defs', 'definitions'];

// What a part refers to is kept at the root.
function withDefinitions(schema: JsonObject, root: JsonObject): JsonObject {
  const shared = Object.entries(root).filter(([keyword]) => SHARED.includes(keyword));
  return { ...Object.fromEntries(shared), ...schema };
}

function isSchema(value: unknown): value is JsonObject {
  return isObject(value);
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
