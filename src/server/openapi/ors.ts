import type { JsonObject } from '../../protocol/index.ts';
import type { EnvironmentManifest, Manifest } from '../../sessions/index.ts';
import { scopesFor } from '../ors/scopes.ts';
import { type Operation, type RouteDocs, toRouteDocs } from './operation.ts';
import { type EnvironmentAction, environmentOperations } from './ors-environments.ts';
import { error, type Operations } from './ors-parts.ts';
import { orsSchemas } from './ors-schemas.ts';
import { type SessionAction, sessionOperations } from './ors-sessions.ts';
import { EVENTS, HEALTH, HOME, METRICS, OPENAPI } from './server.ts';

/** The descriptions of the routes of the Open Reward Standard, by what the route does. */
export type OrsDocs = Readonly<Record<OrsAction, RouteDocs>>;

type OrsAction = 'home' | 'health' | 'openapi' | 'metrics' | 'events' | EnvironmentAction | SessionAction;

/** Describes the routes, with examples that these environments take. */
export function orsDocs(manifest: Manifest, auth: 'open' | 'guarded'): OrsDocs {
  const schemas = () => orsSchemas(manifest);
  const describe = (route: string, operation: Operation) =>
    toRouteDocs(
      {
        ...operation,
        responses: {
          ...operation.responses,
          412: error('The request names another instance of the server: nothing was done.'),
          ...(operation.requestBody === undefined ? {} : { 415: error('The body is not declared as JSON.') }),
          ...(auth === 'open' ? STRANGERS : operation.security !== undefined ? {} : refusals(route)),
          '4XX': error('The request cannot be met; `detail` says why.'),
          '5XX': error('The environment or the server failed.'),
        },
      },
      schemas,
    );
  const operations = operationsOf(manifest.environments[0] as EnvironmentManifest);
  const described = Object.entries(operations).map(([action, [route, operation]]) => [
    action,
    describe(route, operation),
  ]);
  return Object.fromEntries(described) as OrsDocs;
}

function operationsOf(first: EnvironmentManifest): Operations<OrsAction> {
  return {
    home: ['/', HOME],
    health: ['/health', HEALTH],
    openapi: ['/openapi.json', OPENAPI],
    metrics: ['/metrics', METRICS],
    events: ['/events', EVENTS],
    ...environmentOperations(first),
    ...sessionOperations(first),
  };
}

// Where nobody needs a key.
const STRANGERS = {
  403: error('The request comes from a web page of another origin.'),
  421: error('The Host header does not name this server.'),
};

function refusals(route: string): Record<string, JsonObject> {
  const scopes = scopesFor(route).map((scope) => `'${scope}'`);
  return {
    401: error('There are no valid credentials.'),
    403: error(`The caller lacks the scope ${scopes.join(' or ')}.`),
  };
}
