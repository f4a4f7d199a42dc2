import type { FastifyInstance } from 'fastify';
import {
  catalog,
  type Environment,
  environmentFinder,
  type Limits,
  oneOf,
  toLimits,
  trueOrFalse,
} from '../../core/index.ts';
import { CLIENT_SESSION_ID, CLIENT_TASK_ID, FEATURES_HEADER } from '../../protocol/index.ts';
import {
  combineObservers,
  DEFAULT_SESSION_OPTIONS,
  type EnvironmentManifest,
  type EpisodeKeeper,
  type EpisodeRuntime,
  LocalHost,
  LocalRuntime,
  MemoryBudget,
  type Observer,
  type SessionHost,
  type SessionOptions,
  type SessionRules,
} from '../../sessions/index.ts';
import { type Authenticator, type AuthOptions, authenticator } from '../auth/authenticator.ts';
import { type BodyParser, bodyParser } from '../http/bodies.ts';
import { Disconnects } from '../http/disconnects.ts';
import type { ErrorPlace, ReturnErrors } from '../http/errors.ts';
import { Heartbeat } from '../http/heartbeat.ts';
import { PieceRooms } from '../http/pieces.ts';
import { Transfers } from '../http/transfers.ts';
import { WEB_OPTIONS, type WebOptions } from '../http/web-guard.ts';
import { WriteBatch } from '../http/write-batch.ts';
import { type Observation, observe } from '../observe/observation.ts';
import { type NamedSchema, warnOfSlowPatterns } from '../observe/pattern-warnings.ts';
import { type OrsDocs, orsDocs } from '../openapi/ors.ts';
import { anArray, anything, assertOptions, between, type OptionRules, returnErrorsRule } from '../options.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { ToolErrors } from './call-answer.ts';
import type { CallStreamOptions } from './call-stream.ts';
import { SessionIds } from './session-ids.ts';

/** How ORS is served; everything but the environments has a default. */
export interface OrsOptions extends WebOptions {
  readonly environments: readonly Environment[];
  /** How much it takes and for how long; those of connections are the app's. */
  readonly limits?: Partial<Limits>;
  /** What sessions allow. */
  readonly sessions?: Partial<SessionRules> & { readonly observer?: Observer };
  /** Who may use it. Default: everybody. */
  readonly auth?: AuthOptions | undefined;
  /** How much of an author's exception clients see. Default: 'exception'. */
  readonly returnErrors?: ReturnErrors;
  /** How refused calls are told. Default: 'auto', by status, but inside the stream for the official SDKs. */
  readonly toolErrors?: ToolErrors;
  /** How often a quiet stream gets a sign of life. Default: 10 s; official clients give up after 30 s. */
  readonly pingMs?: number;
  /** How long a call may wait for setup before its stream begins. Default: 3 s. */
  readonly announceAfterMs?: number;
  /** Whether "42" passes for a number and null for an absent optional. Default: true. */
  readonly lenientInputs?: boolean;
  /**
   * Where sessions live. Default: in this process.
   * @internal For hosts of this package; not stable yet.
   */
  readonly host?: (options: SessionOptions) => SessionHost;
  /**
   * Where authors' code runs. Default: in this process.
   * @internal For `createServer`.
   */
  readonly runtime?: (() => EpisodeRuntime) | undefined;
  /**
   * What keeps episodes for after their process. Default: nothing.
   * @internal For `createServer`.
   */
  readonly keeper?: MakeKeeper | undefined;
  /**
   * What stands around the sessions of this process. Default: nothing.
   * @internal For `createServer`.
   */
  readonly around?: ((home: LocalHost, options: SessionOptions) => SessionHost) | undefined;
}

/** Makes what keeps the episodes of a runtime. */
export type MakeKeeper = (runtime: EpisodeRuntime, options: SessionOptions) => EpisodeKeeper;

const SESSIONS: OptionRules<NonNullable<OrsOptions['sessions']>> = {
  callsAfterFinish: oneOf(['refuse', 'allow']),
  clientTaskIds: oneOf(['start', 'refuse']),
  reusedTaskIds: oneOf(['answer', 'refuse']),
  observer: anything,
};

// Official clients give up after 30 s.
const LONGEST_SILENCE_MS = 29_999;

/** What the options may be. */
export const ORS_OPTIONS: OptionRules<OrsOptions> = {
  environments: anArray,
  limits: anything,
  sessions: anything,
  auth: anything,
  ...WEB_OPTIONS,
  returnErrors: returnErrorsRule,
  toolErrors: oneOf(['auto', 'http', 'envelope']),
  pingMs: between(1, LONGEST_SILENCE_MS),
  announceAfterMs: between(0, LONGEST_SILENCE_MS),
  lenientInputs: trueOrFalse,
  host: anything,
  runtime: anything,
  keeper: anything,
  around: anything,
};

/** ORS made ready: what its routes share. */
export interface OrsService {
  readonly authenticator: Authenticator | undefined;
  readonly host: SessionHost;
  /** An environment by name, in any case, or the default; an error lists what there is. */
  environment(name?: string): EnvironmentManifest;
  readonly sessionIds: SessionIds;
  readonly parse: BodyParser;
  readonly streams: CallStreamOptions;
  readonly toolErrors: ToolErrors;
  readonly docs: OrsDocs;
  /** What clients have sent as X-Deployment that names no environment, and the log was told. */
  readonly strangeDeployments: Set<string>;
  readonly log: ErrorPlace['log'];
  readonly traceOf: Observation['traceOf'];
  /** The headers that announce what this server can do beyond the standard. */
  readonly features: Readonly<Record<string, string>>;
}

/** Makes environments ready to serve. */
export function toOrsService(app: FastifyInstance, options: OrsOptions, shared: SharedParts = {}): OrsService {
  const { pingMs = 10_000, announceAfterMs = DEFAULT_SESSION_OPTIONS.announceAfterMs } = options;
  if (options.sessions !== undefined) assertOptions(options.sessions, SESSIONS, 'sessions');
  const { observation: { observer, traceOf } = observe(app) } = shared;
  const limits = toLimits(options.limits);
  const transfers = shared.transfers ?? new Transfers(new MemoryBudget(limits), app.log);
  const sessionOptions: SessionOptions = {
    ...DEFAULT_SESSION_OPTIONS,
    ...limits,
    log: app.log,
    announceAfterMs,
    memory: transfers.memory,
    ...options.sessions,
    observer: combineObservers([
      observer,
      ...(options.sessions?.observer === undefined ? [] : [options.sessions.observer]),
    ]),
  };
  const host = hostOf(options, limits, sessionOptions);
  warnOfSlowPatterns(app.log, host.manifest.environments.flatMap(inputsOf));
  return {
    authenticator: authenticator(options.auth),
    host,
    environment: environmentFinder(host.manifest.environments),
    sessionIds: new SessionIds(),
    parse: bodyParser(limits),
    streams: {
      host,
      rooms: new PieceRooms(),
      batch: new WriteBatch((thrown) => app.log.error({ err: thrown }, 'a response could not be written')),
      heartbeat: new Heartbeat(pingMs),
      disconnects: new Disconnects(),
      transfers,
      returnErrors: options.returnErrors ?? 'exception',
    },
    toolErrors: options.toolErrors ?? 'auto',
    log: app.log,
    strangeDeployments: new Set(),
    traceOf,
    docs: orsDocs(host.manifest, options.auth === undefined ? 'open' : 'guarded'),
    features: { [FEATURES_HEADER]: featuresOf(sessionOptions).join(', ') },
  };
}

function featuresOf({ clientTaskIds }: SessionOptions): string[] {
  // Announced only where it holds: a client that believes it repeats calls.
  return clientTaskIds === 'start' ? [CLIENT_TASK_ID, CLIENT_SESSION_ID] : [CLIENT_SESSION_ID];
}

function inputsOf({ name, allTools }: EnvironmentManifest): NamedSchema[] {
  return allTools.map((tool) => ({
    where: `environment '${name}', tool '${tool.name}'`,
    schema: tool.input_schema,
  }));
}

function hostOf(options: OrsOptions, limits: Limits, sessionOptions: SessionOptions): SessionHost {
  if (options.host !== undefined) return options.host(sessionOptions);
  const runtime = options.runtime?.() ?? localRuntime(options, limits, sessionOptions);
  const home = new LocalHost(runtime, sessionOptions, options.keeper?.(runtime, sessionOptions));
  return options.around?.(home, sessionOptions) ?? home;
}

function localRuntime(options: OrsOptions, limits: Limits, sessionOptions: SessionOptions): EpisodeRuntime {
  const ready = catalog(options.environments, { lenient: options.lenientInputs ?? true, limits });
  return new LocalRuntime(ready, sessionOptions);
}
