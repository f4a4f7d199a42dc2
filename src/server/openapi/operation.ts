import type { JsonObject } from '../../protocol/index.ts';

/** What the document says of one route, in the words of OpenAPI. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly deprecated?: true;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  /** By status. */
  readonly responses: Readonly<Record<string, JsonObject>>;
  /** Empty: open to everybody. Left out: as the whole document has it. */
  readonly security?: readonly [];
}

/** What routes are grouped by. */
export type Tag = 'server' | 'environments' | 'sessions' | 'tools';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How /openapi.json describes the route; left out by routes that only redirect or refuse. */
    openapi?: Operation;
    /** The schemas that it refers to and that depend on what is served. */
    openapiSchemas?: SchemaSource;
  }
}

/** Schemas by name, made when the document is first read: most servers are never asked for it. */
export type SchemaSource = () => Schemas;

/** Schemas of the components, by name. */
export type Schemas = Readonly<Record<string, JsonObject>>;

/** The options of a route that carry its description. In `config`, because Fastify would compile a `schema`. */
export interface RouteDocs {
  readonly config: { readonly openapi: Operation; readonly openapiSchemas: SchemaSource };
}

/** A description as the options of its route. */
export function toRouteDocs(openapi: Operation, openapiSchemas: SchemaSource): RouteDocs {
  return { config: { openapi, openapiSchemas } };
}

/** A schema of the components, by name. */
export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object of which all keys are there, unless `optional` names them. */
export function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** A string that is one of these, or exactly this one. */
export function only(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: [...values] };
}

/** A schema, and one of these rules; linters want no `oneOf` of a single one. */
export function withOneOf(schema: JsonObject, rules: readonly JsonObject[]): JsonObject {
  if (rules.length === 0) return schema;
  return rules.length === 1 ? { allOf: [schema, rules[0] as JsonObject] } : { ...schema, oneOf: [...rules] };
}

/** A list of something. */
export function arrayOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** An answer in JSON. */
export function json(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}

/** A body in JSON that the route needs; the example is one that it takes. */
export function body(schema: JsonObject, example?: JsonObject): JsonObject {
  return {
    required: true,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}
