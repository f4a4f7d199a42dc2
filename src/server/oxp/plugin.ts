import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type CatalogTool,
  type Limits,
  type Toolkit,
  type ToolkitCatalog,
  toLimits,
  toolkitCatalog,
} from '../../core/index.ts';
import { OXP_SCHEMA, type ToolDefinition, type ToolList } from '../../protocol/index.ts';
import { type Observer, Toolbox } from '../../sessions/index.ts';
import { type Authenticator, type AuthOptions, authenticator } from '../auth/authenticator.ts';
import { identifyCallers, identityOf } from '../auth/identify.ts';
import { hasScope, type Identity } from '../auth/identity.ts';
import { type BodyParser, bodyParser, keepBodiesAsText } from '../http/bodies.ts';
import { Callers } from '../http/disconnects.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { registerHealth } from '../http/health.ts';
import { logLimits } from '../http/limits.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { stopInApp } from '../http/shutdown.ts';
import { Turn } from '../http/write-batch.ts';
import { type Observation, observe } from '../observe/observation.ts';
import { combine } from '../observe/observers.ts';
import { type OxpDocs, oxpDocs } from '../openapi/oxp.ts';
import {
  anArray,
  anything,
  assertOptions,
  type OptionRules,
  oneOf,
  PLUGIN_OPTIONS,
  returnErrorsRule,
  trueOrFalse,
} from '../options.ts';
import { answerCall } from './call.ts';
import { OxpError, oxpErrorHandler } from './errors.ts';

/** How the OXP face behaves; everything but the toolkits has a default. */
export interface OxpOptions {
  readonly toolkits: readonly Toolkit[];
  /** Who may use it. Default: everybody. */
  readonly auth?: AuthOptions | undefined;
  /** How much of a tool's exception callers see, as `developer_message`. Default: 'exception'. */
  readonly returnErrors?: ReturnErrors;
  /** Whether "42" passes for a number and null for an absent optional. Default: false: OXP promises the schema. */
  readonly lenientInputs?: boolean;
  /** How much it takes and for how long; those of connections are the app's. */
  readonly limits?: Partial<Limits>;
  /** The status of a call without valid credentials. Default: 400, as the call's page has it; the OpenAPI says 401. */
  readonly unauthorizedStatus?: 400 | 401;
  /** The status of a call that comes while the server stops, or has all the calls it takes. Default: 400, as the call's page has it. */
  readonly unavailableStatus?: 400 | 503;
  /** How `input_schema` is published: as the schema itself, or as `{ parameters: schema }`. Default: 'schema'. */
  readonly inputSchemaShape?: 'schema' | 'parameters';
  /** Hears of every call. */
  readonly observer?: Observer | undefined;
}

/** What the options of the face may be. */
export const OXP_OPTIONS: OptionRules<OxpOptions> = {
  toolkits: anArray,
  auth: anything,
  returnErrors: returnErrorsRule,
  lenientInputs: trueOrFalse,
  limits: anything,
  unauthorizedStatus: oneOf(400, 401),
  unavailableStatus: oneOf(400, 503),
  inputSchemaShape: oneOf('schema', 'parameters'),
  observer: anything,
};

/** What the handlers share. */
export interface OxpFace {
  readonly authenticator: Authenticator | undefined;
  readonly catalog: ToolkitCatalog;
  readonly toolbox: Toolbox;
  readonly parse: BodyParser;
  readonly turn: Turn;
  readonly callers: Callers;
  readonly returnErrors: ReturnErrors;
  readonly unauthorizedStatus: 400 | 401;
  readonly unavailableStatus: 400 | 503;
  readonly publish: (definition: ToolDefinition) => ToolDefinition;
  readonly docs: OxpDocs;
  readonly traceOf: Observation['traceOf'];
}

/** The Open eXecution Protocol as a Fastify plugin: `app.register(oxp, { toolkits })`. */
export async function oxp(app: FastifyInstance, options: OxpOptions): Promise<void> {
  assertOptions(options, { ...OXP_OPTIONS, ...PLUGIN_OPTIONS }, 'oxp');
  const face = toOxpFace(app, options);
  const limits = toLimits(options.limits);
  refuseOtherMethods(app, () => registerHealth(app, face.docs.health, () => face.toolbox.isClosed));
  serveOxp(app, face);
  stopInApp(app, { ...limits, teardownMs: 0 });
  logLimits(app.log, limits, ['toolkits', 'both']);
}

/** Makes the toolkits ready to serve. */
export function toOxpFace(
  app: FastifyInstance,
  options: OxpOptions,
  { observer, traceOf }: Observation = observe(app),
): OxpFace {
  const { inputSchemaShape = 'schema' } = options;
  const limits = toLimits(options.limits);
  const catalog = toolkitCatalog(options.toolkits, { lenient: options.lenientInputs ?? false, limits });
  return {
    authenticator: authenticator(options.auth),
    catalog,
    toolbox: new Toolbox({ limits, log: app.log, observer: combine([observer, options.observer ?? {}]) }),
    parse: bodyParser(app),
    turn: new Turn((thrown) => app.log.error({ err: thrown }, 'an answer could not be written')),
    callers: new Callers(),
    returnErrors: options.returnErrors ?? 'exception',
    unauthorizedStatus: options.unauthorizedStatus ?? 400,
    unavailableStatus: options.unavailableStatus ?? 400,
    publish: (definition) =>
      inputSchemaShape === 'schema'
        ? definition
        : { ...definition, input_schema: { parameters: definition.input_schema } },
    traceOf,
    docs: oxpDocs(catalog, options.auth === undefined ? 'open' : 'guarded'),
  };
}

/** What to do with a POST to /call that is not OXP's: on a server with environments it may mean one of them. */
export type ForeignCall = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Registers the routes of a face, with what every request of them passes first. */
export function serveOxp(app: FastifyInstance, face: OxpFace, foreignCall?: ForeignCall): void {
  keepBodiesAsText(app);
  app.setErrorHandler(oxpErrorHandler);
  identifyCallers(app, face.authenticator, {
    isOpen: ({ routeOptions }) => routeOptions.url === `${app.prefix}/health`,
    onUnknown: (error, request) => unauthorized(error, request.method === 'POST' ? face.unauthorizedStatus : 401),
  });
  // Before the server waits for its connections: those who wait for a call are answered when it ends.
  app.addHook('preClose', () => face.toolbox.close());
  refuseOtherMethods(app, () => {
    app.get('/tools', face.docs.tools, async (request) => {
      const visible = face.catalog.tools.filter((tool) => isVisible(identityOf(request), tool));
      const items = visible.map(({ definition }) => face.publish(definition));
      await face.turn.end();
      return { $schema: OXP_SCHEMA, items, tools: items } satisfies ToolList;
    });
    app.post('/tools/call', face.docs.call, (request, reply) =>
      answerCall(face, face.parse(request), { request, reply }),
    );
    app.post('/call', face.docs.callAlias, (request, reply) => {
      const isForeign = foreignCall !== undefined && !isOxpCall(face, request);
      return isForeign ? foreignCall(request, reply) : answerCall(face, face.parse(request), { request, reply });
    });
  });
}

/** Whether a caller may see a tool at all. */
export function isVisible(identity: Identity, { scopes }: CatalogTool): boolean {
  return scopes.every((scope) => hasScope(identity, scope));
}

function isOxpCall({ parse }: OxpFace, request: FastifyRequest): boolean {
  try {
    return 'request' in parse(request);
  } catch {
    return false; // Not JSON: the other face will say so in its own words.
  }
}

function unauthorized(cause: Error, status: 400 | 401): OxpError {
  return new OxpError('Valid credentials are required', {
    status,
    developerMessage: 'Send a bearer token, or an API key in OXP-API-Key',
    headers: { 'www-authenticate': 'Bearer' },
    cause,
  });
}
