import type { FastifyInstance } from 'fastify';
import { type Limits, oneOf, type Toolkit, toLimits, toolkitCatalog, trueOrFalse } from '../../core/index.ts';
import type { ToolDefinition } from '../../protocol/index.ts';
import {
  type CallKeeper,
  combineObservers,
  LocalToolRuntime,
  MemoryBudget,
  type Observer,
  Toolbox,
  type ToolboxOptions,
  type ToolHost,
  type ToolRuntime,
} from '../../sessions/index.ts';
import { type Authenticator, type AuthOptions, authenticator } from '../auth/authenticator.ts';
import { type BodyParser, bodyParser } from '../http/bodies.ts';
import { Disconnects } from '../http/disconnects.ts';
import type { ErrorPlace, ReturnErrors } from '../http/errors.ts';
import { Transfers } from '../http/transfers.ts';
import { WEB_OPTIONS, type WebOptions } from '../http/web-guard.ts';
import { WriteBatch } from '../http/write-batch.ts';
import { type Observation, observe } from '../observe/observation.ts';
import { warnOfSlowPatterns } from '../observe/pattern-warnings.ts';
import { type OxpDocs, oxpDocs } from '../openapi/oxp.ts';
import { anArray, anything, type OptionRules, returnErrorsRule } from '../options.ts';
import type { SharedParts } from '../shared-parts.ts';

/** How OXP is served; everything but the toolkits has a default. */
export interface OxpOptions extends WebOptions {
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
  /**
   * Where tools are called. Default: in this process.
   * @internal For hosts of this package; not stable yet.
   */
  readonly host?: ((options: ToolboxOptions) => ToolHost) | undefined;
  /**
   * What keeps calls for after this process. Default: nothing.
   * @internal For `createServer`.
   */
  readonly keeper?: MakeCallKeeper | undefined;
}

/** Makes what keeps the calls of a runtime. */
export type MakeCallKeeper = (runtime: ToolRuntime) => CallKeeper;

/** What the options may be. */
export const OXP_OPTIONS: OptionRules<OxpOptions> = {
  toolkits: anArray,
  auth: anything,
  ...WEB_OPTIONS,
  returnErrors: returnErrorsRule,
  lenientInputs: trueOrFalse,
  limits: anything,
  unauthorizedStatus: oneOf([400, 401]),
  unavailableStatus: oneOf([400, 503]),
  inputSchemaShape: oneOf(['schema', 'parameters']),
  observer: anything,
  host: anything,
  keeper: anything,
};

/** OXP made ready: what its routes share. */
export interface OxpService {
  readonly authenticator: Authenticator | undefined;
  readonly host: ToolHost;
  readonly parse: BodyParser;
  readonly batch: WriteBatch;
  readonly disconnects: Disconnects;
  readonly transfers: Transfers;
  readonly returnErrors: ReturnErrors;
  readonly unauthorizedStatus: 400 | 401;
  readonly unavailableStatus: 400 | 503;
  readonly publish: (definition: ToolDefinition) => ToolDefinition;
  readonly docs: OxpDocs;
  readonly log: ErrorPlace['log'];
  readonly traceOf: Observation['traceOf'];
}

/** Makes toolkits ready to serve. */
export function toOxpService(app: FastifyInstance, options: OxpOptions, shared: SharedParts = {}): OxpService {
  const { inputSchemaShape = 'schema' } = options;
  const { observation: { observer, traceOf } = observe(app) } = shared;
  const limits = toLimits(options.limits);
  const transfers = shared.transfers ?? new Transfers(new MemoryBudget(limits), app.log);
  const { memory } = transfers;
  const observers = options.observer === undefined ? [observer] : [observer, options.observer];
  const hostOptions = { limits, memory, log: app.log, observer: combineObservers(observers) };
  const host = options.host?.(hostOptions) ?? localToolbox(options, hostOptions);
  const definitions = host.tools.map(({ definition }) => definition);
  warnOfSlowPatterns(
    app.log,
    definitions.map(({ id, input_schema: schema }) => ({ where: `tool '${id}'`, schema })),
  );
  return {
    authenticator: authenticator(options.auth),
    host,
    parse: bodyParser(limits),
    batch: new WriteBatch((thrown) => app.log.error({ err: thrown }, 'a response could not be written')),
    disconnects: new Disconnects(),
    transfers,
    returnErrors: options.returnErrors ?? 'exception',
    unauthorizedStatus: options.unauthorizedStatus ?? 400,
    unavailableStatus: options.unavailableStatus ?? 400,
    publish: (definition) =>
      inputSchemaShape === 'schema'
        ? definition
        : { ...definition, input_schema: { parameters: definition.input_schema } },
    log: app.log,
    traceOf,
    docs: oxpDocs(host.tools, options.auth === undefined ? 'open' : 'guarded'),
  };
}

function localToolbox(options: OxpOptions, hostOptions: ToolboxOptions): ToolHost {
  const { limits, log, observer } = hostOptions;
  const catalog = toolkitCatalog(options.toolkits, { lenient: options.lenientInputs ?? false, limits });
  const runtime = new LocalToolRuntime(catalog, { graceMs: limits.graceMs, log, observer });
  return new Toolbox(runtime, hostOptions, options.keeper?.(runtime));
}
