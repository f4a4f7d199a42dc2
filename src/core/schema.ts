import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { isObject, type JsonObject } from '../protocol/index.ts';
import { describe } from './content.ts';
import { DefinitionError, toError } from './errors.ts';

/** A schema of a validation library (zod 4, ArkType, ...) that can also describe itself as JSON Schema. */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/** What authors may give as a schema: a Standard Schema with JSON Schema, or plain JSON Schema. */
export type Schema = StandardSchema | JsonObject;

/** The type a tool receives for its schema; plain JSON Schema promises nothing to TypeScript, no schema gives `{}`. */
export type OutputOf<S> =
  IsAny<S> extends true ? any : unknown extends S ? {} : S extends StandardSchemaV1<any, infer Output> ? Output : any;

// A tool in a list of tools of all kinds: its schema is there, but its type is not known.
type IsAny<S> = 0 extends 1 & S ? true : false;

/** The type a caller must send for a schema. */
export type InputOf<S> = unknown extends S ? {} : S extends StandardSchemaV1<infer Input, any> ? Input : any;

/** Whether a schema comes from a validation library. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}

/** The JSON Schema of what goes in or comes out of a schema; `where` names the place in an error message. */
export function toJsonSchema(schema: object, where: string, direction: 'input' | 'output' = 'input'): JsonObject {
  // ArkType's schemas are functions.
  if (!isObject(schema) && typeof schema !== 'function')
    throw new DefinitionError(`${where} must be a schema, not ${describe(schema)}`);
  return isStandardSchema(schema) ? fromStandard(schema, where, direction) : fromPlain(schema, where);
}

// What can make an object of a schema that says no type.
const OBJECT_KEYWORDS = ['properties', 'required', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', '$ref'];

/** Refuses a schema that cannot describe an object, which inputs and tasks are. */
export function assertObjectSchema(schema: JsonObject, where: string): void {
  const { type } = schema;
  if (type === undefined && !OBJECT_KEYWORDS.some((keyword) => keyword in schema)) {
    throw new DefinitionError(
      `${where} must describe an object: { type: 'object', properties: { ... } }, or z.object({ ... })`,
    );
  }
  if (type !== undefined && ![type].flat().includes('object')) {
    throw new DefinitionError(
      `${where} must describe an object, but its type is ${JSON.stringify(type)}. Wrap it: { value: ... }`,
    );
  }
}

// A schema of a library among the keywords of JSON Schema would pass for a keyword nobody knows, and check nothing.
function fromPlain(schema: object, where: string): JsonObject {
  try {
    return JSON.parse(JSON.stringify(schema, assertPlain)) as JsonObject;
  } catch (thrown) {
    throw new DefinitionError(
      `${where} is not plain JSON: ${toError(thrown).message}. ` +
        'Use one library throughout, such as z.object({ ... }), or plain JSON Schema',
      { cause: thrown },
    );
  }
}

function assertPlain(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const written = this[key];
  if (typeof written !== 'function' && !isObject(written)) return value;
  if (isStandardSchema(written)) throw new TypeError(`'${key}' is a ${written['~standard'].vendor} schema`);
  if (typeof written === 'function') throw new TypeError(`'${key}' is a function`);
  return value;
}

function fromStandard(schema: StandardSchema, where: string, direction: 'input' | 'output'): JsonObject {
  const standard = schema['~standard'];
  if (typeof standard.jsonSchema?.[direction] !== 'function') {
    throw new DefinitionError(
      `${where} is a ${standard.vendor} schema that does not describe itself as JSON Schema. ` +
        'Use zod 4.2 or later, ArkType 2.1.28 or later, or plain JSON Schema',
    );
  }
  try {
    const { $schema: _, ...json } = standard.jsonSchema[direction]({ target: 'draft-2020-12' }) as JsonObject;
    return json;
  } catch (thrown) {
    throw new DefinitionError(
      `${where} cannot be written as JSON Schema: ${toError(thrown).message}. ` +
        'Use types that JSON has: a string or a number for a date, an array for a set',
      { cause: thrown },
    );
  }
}
