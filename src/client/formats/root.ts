import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';
import { type Composition, compose, toBoth, toStrings, toTypes } from './compose.ts';
import { toDistinct } from './distinct.ts';

/** The input schema of a tool as every provider takes it: an object, and no union at its root. */
export interface ObjectSchema {
  type: 'object';
  properties: JsonObject;
  required?: string[];
  [keyword: string]: JsonValue | undefined;
}

/** What became of the root of a schema. */
export interface ObjectRoot {
  readonly schema: ObjectSchema;
  /** The forms a union at the root allowed, in words; '' if there was none. */
  readonly forms: string;
}

/**
 * Makes one object of a schema whose root may be a union: it has the properties of all branches, and requires what every
 * branch requires. The root must be free of references.
 */
export function toObjectRoot(schema: JsonObject): ObjectRoot {
  return toOneObject(compose(schema));
}

/** The same for a schema that is taken apart already. */
export function toOneObject(composition: Composition): ObjectRoot {
  // Beside unions, these are what OpenAI refuses at the root.
  const { enum: _enum, const: _const, not: _not, required: _required, ...base } = composition.base;
  const { properties, required } = toShape(composition);
  return {
    schema: {
      ...base,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.size > 0 ? { required: [...required] } : {}),
    },
    forms: composition.unions.map(tellForms).filter(Boolean).join('\n\n'),
  };
}

/** The branches that an object can take. */
export function toObjects(union: readonly JsonObject[]): JsonObject[] {
  return union.filter((branch) => toTypes(branch).length === 0 || toTypes(branch).includes('object'));
}

interface Shape {
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: ReadonlySet<string>;
}

function toShape({ base, unions }: Composition): Shape {
  const own: Shape = {
    properties: new Map(isObject(base.properties) ? Object.entries(base.properties) : []),
    required: new Set(toStrings(base.required)),
  };
  return unions.map((union) => toEither(toObjects(union).map(toShapeOf))).reduce(toBothShapes, own);
}

function toShapeOf(schema: JsonObject): Shape {
  return toShape(compose(schema));
}

function toEither(shapes: readonly Shape[]): Shape {
  const found = new Map<string, JsonValue[]>();
  for (const [name, schema] of shapes.flatMap(({ properties }) => [...properties])) {
    found.set(name, [...(found.get(name) ?? []), schema]);
  }
  const required = [...found.keys(), ...shapes.flatMap((shape) => [...shape.required])].filter((name) =>
    shapes.every((shape) => shape.required.has(name)),
  );
  return {
    properties: new Map([...found].map(([name, schemas]) => [name, toAny(toDistinct(schemas))])),
    required: new Set(required),
  };
}

function toAny(schemas: JsonValue[]): JsonValue {
  const [first] = schemas;
  return schemas.length === 1 && first !== undefined ? first : { anyOf: schemas };
}

function toBothShapes(first: Shape, second: Shape): Shape {
  const properties = new Map(first.properties);
  for (const [name, schema] of second.properties) {
    const own = properties.get(name);
    properties.set(name, own === undefined ? schema : toBoth(own, schema));
  }
  return { properties, required: new Set([...first.required, ...second.required]) };
}

function tellForms(union: readonly JsonObject[]): string {
  const branches = toObjects(union);
  if (branches.length < 2) return '';
  return ['It takes one of these forms:', ...branches.map((branch) => `- ${tellForm(branch)}`)].join('\n');
}

function tellForm(branch: JsonObject): string {
  const { properties, required } = toShapeOf(branch);
  const names = [...new Set([...required, ...properties.keys()])].map((name) => {
    const schema = properties.get(name);
    const value = isObject(schema) && schema.const !== undefined ? ` = ${JSON.stringify(schema.const)}` : '';
    return `${name}${value}${required.has(name) ? '' : ' (optional)'}`;
  });
  const title = typeof branch.title === 'string' ? `${branch.title}: ` : '';
  const description = typeof branch.description === 'string' ? `. ${branch.description}` : '';
  return `${title}${names.join(', ') || 'no arguments'}${description}`;
}
