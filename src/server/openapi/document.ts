import type { FastifyInstance } from 'fastify';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { version } from '../../version.ts';
import type { AuthOptions } from '../auth/authenticator.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { SCHEMAS } from './components.ts';
import type { Operation, RouteDocs, SchemaSource, Schemas, Tag } from './operation.ts';

/** A route of the server, and what is said of it. */
export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  readonly operation: Operation;
  readonly schemas: SchemaSource | undefined;
}

/** The list of the described routes, which grows as they are registered; call it before. */
export function collectRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const { openapi: operation, openapiSchemas: schemas } = config ?? {};
    if (operation === undefined) return;
    // HEAD goes with GET, and every reader of the document knows.
    const methods = [method].flat().filter((each) => each !== 'HEAD');
    routes.push(...methods.map((each) => ({ method: each, url, operation, schemas })));
  });
  return routes;
}

/** Registers /openapi.json; `build` is asked once, when the first reader comes. */
export function registerOpenApi(app: FastifyInstance, docs: RouteDocs, build: () => JsonObject): void {
  let text: string | undefined;
  refuseOtherMethods(app, () => {
    app.get('/openapi.json', docs, async (_request, reply) => {
      text ??= JSON.stringify(build());
      return reply.type('application/json; charset=utf-8').send(text);
    });
  });
}

const TAGS: Readonly<Record<Tag, string>> = {
  server: 'The server itself.',
  environments: 'What there is to do: environments and their tasks (Open Reward Standard).',
  sessions: 'One task being done (Open Reward Standard).',
  tools: 'Tools outside any session (Open eXecution Protocol).',
};

/** The OpenAPI document of these routes. */
export function openApiDocument(routes: readonly DescribedRoute[], auth: AuthOptions | undefined): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { method, url, operation } of routes) {
    const path = url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation as unknown as JsonObject };
  }
  const tags = new Set<string>(routes.flatMap(({ operation }) => operation.tags));
  const schemes = securitySchemes(auth);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tiltyard',
      version,
      summary: 'Environments and tools for language-model agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    // Any one of them will do; without auth there is nothing to show.
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(TAGS)
      .filter(([name]) => tags.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: usedSchemas(paths, knownSchemas(routes)),
      ...(auth === undefined ? {} : { securitySchemes: schemes }),
    },
  };
}

function securitySchemes(auth: AuthOptions | undefined): Record<string, JsonObject> {
  const apiKey = (name: string): JsonObject => ({ type: 'apiKey', in: 'header', name });
  return {
    ...((auth?.apiKeys ?? []).length > 0 ? { apiKey: apiKey('X-API-Key'), oxpApiKey: apiKey('OXP-API-Key') } : {}),
    ...(auth?.jwt === undefined ? {} : { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
  };
}

/** The schemas of all servers, and those of this one. */
function knownSchemas(routes: readonly DescribedRoute[]): Schemas {
  // Routes of one protocol share a source.
  const sources = new Set(routes.map(({ schemas }) => schemas));
  return Object.assign({}, SCHEMAS, ...[...sources].map((source) => source?.()));
}

// The name of a schema, also in a reference to something inside it.
const COMPONENT = /^#\/components\/schemas\/([^/]+)/;

/** The schemas that something refers to, and those that they refer to. */
function usedSchemas(paths: JsonObject, known: Schemas): JsonObject {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isObject(node)) return;
    const name = typeof node.$ref === 'string' ? COMPONENT.exec(node.$ref)?.[1] : undefined;
    if (name !== undefined && !used.has(name)) {
      used.add(name);
      visit(known[name]);
    }
    Object.values(node).forEach(visit);
  };
  visit(paths);
  return Object.fromEntries(Object.entries(known).filter(([name]) => used.has(name)));
}
