import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Catalog, catalog, type Environment, type Limits, toLimits } from '../../core/index.ts';
import { CLIENT_TASK_ID, FEATURES_HEADER } from '../../protocol/index.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  LocalHost,
  type Observer,
  type SessionHost,
  type SessionOptions,
  type SessionRules,
} from '../../sessions/index.ts';
import { type Authenticator, type AuthOptions, authenticator } from '../auth/authenticator.ts';
import { identifyCallers, sessionKeyOf } from '../auth/identify.ts';
import { type BodyParser, bodyParser, keepBodiesAsText } from '../http/bodies.ts';
import { Callers } from '../http/disconnects.ts';
import { errorHandler, type ReturnErrors } from '../http/errors.ts';
import { findSid } from '../http/headers.ts';
import { Heartbeat } from '../http/heartbeat.ts';
import { logLimits } from '../http/limits.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { stopInApp } from '../http/shutdown.ts';
import { Turn } from '../http/write-batch.ts';
import { type Observation, observe } from '../observe/observation.ts';
import { combine } from '../observe/observers.ts';
import { toSessionLimits, warnOfTighterLimit } from '../observe/session-limits.ts';
import { type OrsDocs, orsDocs } from '../openapi/ors.ts';
import {
  anArray,
  anything,
  assertOptions,
  between,
  type OptionRules,
  oneOf,
  PLUGIN_OPTIONS,
  returnErrorsRule,
  trueOrFalse,
} from '../options.ts';
import { registerCall } from './call.ts';
import type { ToolErrors } from './call-answer.ts';
import type { CallStreamOptions } from './call-stream.ts';
import { registerRequiredSecrets } from './deployment.ts';
import { registerReads } from './reads.ts';
import { registerRedirects } from './redirects.ts';
import { enforceScopes } from './scopes.ts';
import { Sids } from './session-ids.ts';
import { registerSessions } from './sessions.ts';

/** How the ORS face behaves; everything but the environments has a default. */
export interface OrsOptions {
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
  /** How long a call may wait for setup in silence. Default: 3 s. */
  readonly announceAfterMs?: number;
  /** Whether "42" passes for a number and null for an absent optional. Default: true. */
  readonly lenientInputs?: boolean;
  /**
   * Where sessions live. Default: in this process.
   * @internal For hosts of this package; not stable yet.
   */
  readonly host?: (catalog: Catalog, options: SessionOptions) => SessionHost;
}

const SESSIONS: OptionRules<NonNullable<OrsOptions['sessions']>> = {
  callsAfterFinish: oneOf('refuse', 'allow'),
  clientTaskIds: oneOf('start', 'refuse'),
  observer: anything,
};

// Official clients give up after 30 s.
const LONGEST_SILENCE_MS = 29_999;

/** What the options of the face may be. */
export const ORS_OPTIONS: OptionRules<OrsOptions> = {
  environments: anArray,
  limits: anything,
  sessions: anything,
  auth: anything,
  returnErrors: returnErrorsRule,
  toolErrors: oneOf('auto', 'http', 'envelope'),
  pingMs: between(1, LONGEST_SILENCE_MS),
  announceAfterMs: between(0, LONGEST_SILENCE_MS),
  lenientInputs: trueOrFalse,
  host: anything,
};

/** The Open Reward Standard as a Fastify plugin: `app.register(ors, { environments })`. */
export async function ors(app: FastifyInstance, options: OrsOptions): Promise<void> {
  assertOptions(options, { ...ORS_OPTIONS, ...PLUGIN_OPTIONS }, 'ors');
  serveOrs(app, toOrsFace(app, options));
  const limits = toLimits(options.limits);
  stopInApp(app, limits);
  logLimits(app.log, limits, ['environments', 'both']);
  warnOfTighterLimit(app.log, toSessionLimits(limits, options.auth), options.limits ?? {});
}

/** Registers the routes of a face, with what every request of them passes first; `taken` are bare paths of others. */
export function serveOrs(app: FastifyInstance, face: OrsFace, taken: readonly string[] = []): void {
  keepBodiesAsText(app);
  app.setErrorHandler(errorHandler(face.streams.returnErrors));
  identifyCallers(app, face.authenticator, {
    isOpen: ({ routeOptions }) => routeOptions.url === `${app.prefix}/health`,
  });
  if (face.authenticator !== undefined) enforceScopes(app);
  app.addHook('onRequest', (request, _reply, done) => {
    touch(face, request);
    done();
  });
  // Before the server waits for its connections: the streams among them end with their sessions.
  app.addHook('preClose', () => face.host.close());
  refuseOtherMethods(app, () => {
    registerReads(app, face);
    registerRequiredSecrets(app, face);
    registerSessions(app, face);
    registerCall(app, face);
  });
  registerRedirects(app, face, taken);
}

/** What the handlers share. */
export interface OrsFace {
  readonly authenticator: Authenticator | undefined;
  readonly catalog: Catalog;
  readonly host: SessionHost;
  readonly sids: Sids;
  readonly parse: BodyParser;
  readonly streams: CallStreamOptions;
  readonly toolErrors: ToolErrors;
  readonly docs: OrsDocs;
  readonly traceOf: Observation['traceOf'];
  /** The headers that announce what this server can do beyond the standard. */
  readonly features: Readonly<Record<string, string>>;
}

/** Makes the environments ready to serve. */
export function toOrsFace(
  app: FastifyInstance,
  options: OrsOptions,
  { observer, traceOf }: Observation = observe(app),
): OrsFace {
  const { pingMs = 10_000, announceAfterMs = 3_000 } = options;
  if (options.sessions !== undefined) assertOptions(options.sessions, SESSIONS, 'sessions');
  const limits = toLimits(options.limits);
  const ready = catalog(options.environments, { lenient: options.lenientInputs ?? true, limits });
  const sessionOptions = {
    ...DEFAULT_SESSION_OPTIONS,
    ...limits,
    log: app.log,
    ...options.sessions,
    observer: combine([observer, options.sessions?.observer ?? {}]),
  };
  const host = options.host?.(ready, sessionOptions) ?? new LocalHost(ready, sessionOptions);
  return {
    authenticator: authenticator(options.auth),
    catalog: ready,
    host,
    sids: new Sids(),
    parse: bodyParser(app),
    streams: {
      turn: new Turn((thrown) => app.log.error({ err: thrown }, 'an answer could not be written')),
      heartbeat: new Heartbeat(pingMs),
      returnErrors: options.returnErrors ?? 'exception',
      announceAfterMs,
      callers: new Callers(),
      forget: (key, call) => host.forget(key, call),
      touch: (key) => void host.touch(key),
    },
    toolErrors: options.toolErrors ?? 'auto',
    traceOf,
    docs: orsDocs(ready, options.auth === undefined ? 'open' : 'guarded'),
    // Announced only where it holds: a client that believes it repeats calls.
    features: sessionOptions.clientTaskIds === 'start' ? { [FEATURES_HEADER]: CLIENT_TASK_ID } : {},
  };
}

// Any request that names a session keeps it alive, also one that does not need it.
function touch({ host }: OrsFace, request: FastifyRequest): void {
  const sid = findSid(request.headers);
  if (sid !== undefined) host.touch(sessionKeyOf(request, sid));
}
