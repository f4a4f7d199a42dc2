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
  }
}

/** The options of a route that carry its description. In `config`, because Fastify would compile a `schema`. */
export interface RouteDocs {
  readonly config: { readonly openapi: Operation };
}

/** A description as the options of its route. */
export function toRouteDocs(openapi: Operation): RouteDocs {
  return { config: { openapi } };
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
