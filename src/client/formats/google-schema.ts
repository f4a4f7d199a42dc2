import { isObject, type JsonObject, type JsonValue, mapSubschemas } from '../../protocol/index.ts';
import { type Composition, compose, mergeSchemas, toStrings } from './compose.ts';
import { toDistinct } from './distinct.ts';
import { tellRest } from './google-notes.ts';
import { type GoogleType, isFormat, isOnlyNull, toGoogleTypes, toListed } from './google-types.ts';
import { withItems } from './json-schema.ts';
import { toObjects, toOneObject } from './root.ts';

/** Google's dialect of schemas, a part of OpenAPI 3.0. Either `anyOf` stands alone or there is one `type`. */
export interface GoogleSchema {
  anyOf?: GoogleSchema[];
  type?: GoogleType;
  description?: string;
  nullable?: boolean;
  enum?: string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: GoogleSchema;
  minItems?: number;
  maxItems?: number;
  properties?: { [name: string]: GoogleSchema };
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
}

const BOUNDS: Readonly<Record<GoogleType, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

/** A schema without references, in Google's dialect. */
export function toGoogleSchema(schema: JsonObject): GoogleSchema {
  // Unions beside unions multiply, so there is an end to it, far above what a schema as it is meant needs.
  return convert(compose(schema), { left: 1000 + 10 * count(schema) });
}

interface Budget {
  left: number;
}

function count(schema: JsonObject): number {
  let schemas = 1;
  mapSubschemas(schema, (subschema) => {
    schemas += count(subschema);
    return subschema;
  });
  return schemas;
}

function convert({ base, unions }: Composition, budget: Budget): GoogleSchema {
  budget.left -= 1;
  if (budget.left < 0) return { type: 'object', description: '(not spelled out here)' };
  const [union, ...others] = unions;
  if (union === undefined) return convertBase(base, budget);
  const branches = union.filter((branch) => !isOnlyNull(branch));
  if (branches.length === 0) return convert({ base: { ...base, type: 'null' }, unions: others }, budget);
  const withNull = branches.length < union.length ? { ...base, nullable: true } : base;
  const objects = toObjects(branches);
  if (!isObject(base.properties) || objects.length < 2) return toUnion(distribute(withNull, branches, others, budget));
  // Properties would have to be repeated in each branch, and again inside them.
  const { schema, forms } = toOneObject({ base: withNull, unions: [objects, ...others] });
  const one = mergeSchemas(schema as JsonObject, { description: forms });
  const rest = branches.filter((branch) => !objects.includes(branch));
  return toUnion([convertBase(one, budget), ...distribute(withNull, rest, others, budget)]);
}

// Vertex AI wants anyOf to stand alone, so what stood beside it goes into each branch.
function distribute(
  base: JsonObject,
  branches: readonly JsonObject[],
  others: Composition['unions'],
  budget: Budget,
): GoogleSchema[] {
  return branches
    .map(compose)
    .map((part) => convert({ base: mergeSchemas(base, part.base), unions: [...others, ...part.unions] }, budget));
}

function toUnion(schemas: GoogleSchema[]): GoogleSchema {
  const flat = toDistinct(schemas.flatMap((schema) => schema.anyOf ?? [schema]) as JsonObject[]) as GoogleSchema[];
  return flat.length === 1 ? (flat[0] ?? {}) : { anyOf: flat };
}

function convertBase(base: JsonObject, budget: Budget): GoogleSchema {
  const { types, nullable } = toGoogleTypes(base);
  // The type that stands in for null hides what it stands for.
  const values: JsonObject = isOnlyNull(base) ? { const: null } : {};
  return toUnion(types.map((type) => convertType(type, withItems({ ...base, ...values, type, nullable }), budget)));
}

function convertType(type: GoogleType, schema: JsonObject, budget: Budget): GoogleSchema {
  const description = tellRest(schema, type);
  const listed = toListed(schema, type);
  const bounds = BOUNDS[type].filter((keyword) => schema[keyword] !== undefined);
  return {
    type,
    ...(description === '' ? {} : { description }),
    ...(schema.nullable === true ? { nullable: true } : {}),
    ...(listed === undefined ? {} : { enum: listed }),
    ...(isFormat(schema.format, type) ? { format: schema.format } : {}),
    ...Object.fromEntries(bounds.map((keyword) => [keyword, schema[keyword]])),
    ...(type === 'array' ? { items: convertItems(schema.items, budget) } : {}),
    ...(type === 'object' ? convertProperties(schema, budget) : {}),
  };
}

function convertItems(items: JsonValue | undefined, budget: Budget): GoogleSchema {
  const isAny = !isObject(items) || Object.keys(items).length === 0;
  // Anything but a further array, which would have to name its items in turn.
  return convertValue(isAny ? { type: ['string', 'number', 'boolean', 'object'] } : items, budget);
}

function convertProperties(schema: JsonObject, budget: Budget): GoogleSchema {
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  // Google refuses an object with no properties in it, but takes one that says nothing of them.
  if (properties.length === 0) return {};
  const required = toStrings(schema.required).filter((name) => properties.some(([property]) => property === name));
  return {
    properties: Object.fromEntries(properties.map(([name, value]) => [name, convertValue(value, budget)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function convertValue(value: JsonValue, budget: Budget): GoogleSchema {
  return convert(compose(isObject(value) ? value : {}), budget);
}
