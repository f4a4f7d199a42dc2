import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { DefinitionError, type Environment, type Limits, type Toolkit, toError, toLimits } from '../core/index.ts';
import { MemoryBudget } from '../sessions/index.ts';
import { type ClusterOption, clusterRule } from './cluster/option.ts';
import type { ServerCluster } from './cluster/server-cluster.ts';
import { type JournalOption, journalRule } from './durable/option.ts';
import type { ServerDurability } from './durable/server-journal.ts';
import { closeAfterUpgrade, refuseWithoutHost } from './http/client-errors.ts';
import { errorHandler } from './http/errors.ts';
import { FastPath } from './http/fast-path.ts';
import { registerHealth } from './http/health.ts';
import { HttpServers } from './http/http-servers.ts';
import { type Instance, newInstance, refuseForAnother } from './http/instance.ts';
import { logLimits, toNodeOptions } from './http/limits.ts';
import { refuseOtherMethods } from './http/methods.ts';
import { notFoundHandler } from './http/not-found.ts';
import { type RequestTracker, requestTracker } from './http/request-tracker.ts';
import { endConnections } from './http/shutdown.ts';
import { Transfers } from './http/transfers.ts';
import { listensLocally, WebGuard } from './http/web-guard.ts';
import { serverLogger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { registerMetrics } from './observe/metrics-route.ts';
import { Numbers } from './observe/numbers.ts';
import { type Observation, observe } from './observe/observation.ts';
import { RequestCounts } from './observe/request-counts.ts';
import { toSessionLimits, warnOfTighterLimit } from './observe/session-limits.ts';
import { logStop } from './observe/stop-log.ts';
import {
  serverWatchdog,
  toWatchdogOutput,
  type WatchdogOption,
  watchdogRule,
} from './observe/watchdog/server-watchdog.ts';
import { collectRoutes, openApiDocument, registerOpenApi } from './openapi/document.ts';
import { anArray, anything, assertOptions, type OptionRules, trueOrFalse } from './options.ts';
import { fastCall as fastOrsCall, CALL_ROUTE as ORS_CALL } from './ors/call.ts';
import { redirectTools } from './ors/deployment.ts';
import { serveOrs } from './ors/plugin.ts';
import { redirectTo } from './ors/redirects.ts';
import { ORS_OPTIONS, type OrsOptions, type OrsService, toOrsService } from './ors/service.ts';
import { fastCall as fastOxpCall, CALL_ROUTE as OXP_CALL } from './oxp/call.ts';
import { serveOxp } from './oxp/plugin.ts';
import { OXP_OPTIONS, type OxpOptions, type OxpService, toOxpService } from './oxp/service.ts';
import { type RecordOption, recordRule } from './recording/option.ts';
import type { Recorder } from './recording/recorder.ts';
import { type ServedNames, toServedNames } from './served-names.ts';
import type { SharedParts } from './shared-parts.ts';
import { type WorkersOption, workersRule } from './workers/option.ts';
import type { ServerWorkers } from './workers/server-workers.ts';

/** What a server is made from: environments, toolkits, or both. */
export interface ServerOptions extends Omit<OrsOptions, 'environments'> {
  readonly environments?: readonly Environment[];
  readonly toolkits?: readonly Toolkit[];
  /** What is special to OXP. */
  readonly oxp?: Omit<
    OxpOptions,
    'toolkits' | 'auth' | 'allowHosts' | 'allowOrigins' | 'returnErrors' | 'limits' | 'observer' | 'keeper'
  >;
  /** Pino's options or logger, or false. Default: warnings and errors to standard output. */
  readonly logger?: FastifyServerOptions['logger'];
  /** Whether GET /metrics shows numbers for Prometheus; with auth, not to agents. Default: true. */
  readonly metrics?: boolean;
  /**
   * Whether a thread watches the event loop, and writes into the log which code blocks it for longer than `limits.maxBlockMs`, and what
   * ran if the process exits. There is one for all servers of a process. Lines go to standard error, or to `fd`. Default: false.
   */
  readonly watchdog?: WatchdogOption;
  /**
   * Processes that run the code of the modules named here, instead of `environments` and `toolkits`: a tool that blocks or crashes
   * costs its process, and not the server. Default: none, and all code runs in this process.
   */
  readonly workers?: WorkersOption;
  /**
   * Where episodes are written down, so that they go on after a crash or a restart, as far as their environments allow it
   * (`durability`). Needs the package `lmdb`. Default: nowhere.
   */
  readonly journal?: JournalOption;
  /** Where all episodes are recorded, for people and programs to read. Default: nowhere. */
  readonly record?: RecordOption;
  /**
   * The cluster that the server belongs to, instead of a journal of its own: any server of it answers for any session, and one that dies
   * is replaced by the others. Needs the packages `@nats-io/transport-node` and `@nats-io/jetstream`. Default: none.
   */
  readonly cluster?: ClusterOption;
}

const SERVER_OPTIONS: OptionRules<ServerOptions> = {
  ...ORS_OPTIONS,
  toolkits: anArray,
  oxp: anything,
  logger: anything,
  metrics: trueOrFalse,
  watchdog: watchdogRule,
  workers: workersRule,
  journal: journalRule,
  record: recordRule,
  cluster: clusterRule,
};

/** Where to listen. */
export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: this machine only. */
  readonly host?: string;
}

/** A server of environments. Disposing of it ends all sessions, with their teardowns, and then the server. */
export interface Server extends AsyncDisposable {
  /** The Fastify instance, for its logger, its HTTP server and in-process requests; it takes no further routes or hooks. */
  readonly app: FastifyInstance;
  /** Where the server listens; empty before it does. */
  readonly url: string;
  /** The limits in force. */
  readonly limits: Limits;
  /**
   * What is served, by name.
   * @internal For the command.
   */
  readonly served: ServedNames;
  /** Begins to take requests; resolves with the URL. */
  listen(options?: ListenOptions): Promise<string>;
  /** Takes no new sessions and calls, lets those that run end for a while (`limits.drainMs`), then ends the rest. */
  close(): Promise<void>;
}

/** Makes a server; mistakes in the definitions are reported here. */
export async function createServer(options: ServerOptions): Promise<Server> {
  assertServerOptions(options);
  const limits = toLimits(options.limits);
  const servers = new HttpServers(toNodeOptions(limits));
  const { logger, eventsOf } = serverLogger(options.logger ?? { level: 'warn' });
  const app = Fastify({
    logger,
    // One line a request is written below; the line at its arrival would double the cost.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would cost more than the request's line.
    childLoggerFactory: (logger) => logger,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handler) => servers.make(handler),
    // No limit of its own for a name in the path: an unknown environment is 404, however long.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.headerBytes },
    forceCloseConnections: 'idle',
    // Fastify's limit holds for hooks as well, and teardowns may take longer; they have limits of their own.
    pluginTimeout: 0,
    // While the server stops, each route knows best what to say, and says it in our form.
    return503OnClosing: false,
    // No hook runs before these.
    frameworkErrors: (error, request, reply) => {
      requests.begin(request.raw, reply.raw);
      closeAfterUpgrade(request as FastifyRequest, reply as FastifyReply);
      (reply as FastifyReply)
        .code(error.statusCode ?? 400)
        .headers(instance.headers)
        .send({ detail: error.message });
    },
    // Each of our servers answers what is not HTTP by itself.
    clientErrorHandler: () => {},
  });
  const recorder = await recorderOf(app, options);
  const workers = options.workers === undefined ? undefined : await workersOf(app, options, options.workers, limits);
  const durability = await durabilityOf(app, options, limits);
  const events = eventsOf(app);
  const counts = new RequestCounts();
  const requests = requestTracker({ events, counts });
  const guard = new WebGuard(options, () => listensLocally(app));
  const instance = newInstance(durability?.instance);
  const fastPath = new FastPath({ bodyBytes: limits.bodyBytes, requests, guard, instance });
  app.addHook('preClose', async () => fastPath.close());
  servers.open({ requests, fastPath, instance });
  watchRequests(app, { options, requests, counts, guard, instance });
  const hasEnvironments = servesEnvironments(options, workers);
  const sessionLimits = hasEnvironments ? toSessionLimits(limits, options.auth) : undefined;
  const transfers = new Transfers(new MemoryBudget(limits), app.log);
  const numbers = new Numbers();
  logStop(app, numbers);
  const watchdog = serverWatchdog(app, options.watchdog, limits);
  const metrics =
    options.metrics === false
      ? undefined
      : new Metrics({
          numbers,
          requests: counts,
          limits: sessionLimits,
          memory: () => transfers.numbers,
          blocks: watchdog?.blocks,
          workers: workers?.pool,
          recording: recorder?.numbers,
          cluster: durability?.numbers,
        });
  app.addHook('preClose', async () => metrics?.stopping());
  const observation = observe(app, { events, numbers, watchdog, recorder });
  const shared = { observation, transfers };
  const { ors, oxp } = await serveProtocols(app, options, { shared, metrics, workers, durability }).catch(
    async (thrown) => {
      // What it holds already, such as the buffers of its log, would stay for ever.
      await app.close();
      throw thrown;
    },
  );
  if (ors !== undefined) recorder?.describe(ors.host.manifest);
  const environments = ors?.host.manifest.environments.map(({ name }) => name) ?? [];
  metrics?.expect(environments);
  await app.register(endConnections, { servers, noticeMs: limits.noticeMs, closeMs: limits.closeMs });
  await app.ready();
  await durability?.recover(ors?.host);
  for (const name of environments)
    if (ors !== undefined) fastPath.add(`/${name}/call`, fastOrsCall(ors, name, counts.of(ORS_CALL)));
  if (oxp !== undefined) fastPath.add(OXP_CALL, fastOxpCall(oxp, counts.of(OXP_CALL)));
  logLimits(app.log, limits, ['server', 'environments', 'toolkits', 'both']);
  if (sessionLimits !== undefined) warnOfTighterLimit(app.log, sessionLimits, options.limits ?? {});
  const served = toServedNames(ors?.host.manifest.environments ?? [], oxp?.host.tools ?? []);
  return toServer(app, { servers, limits, guard, served });
}

function assertServerOptions(options: ServerOptions): void {
  assertOptions(options, SERVER_OPTIONS, 'createServer');
  const { toolkits, auth, allowHosts, allowOrigins, returnErrors, limits, observer, keeper, ...own } = OXP_OPTIONS;
  if (options.oxp !== undefined) assertOptions(options.oxp, own, 'oxp');
  if (options.cluster !== undefined && options.journal !== undefined)
    throw new DefinitionError("a server of a cluster has the cluster's journal: give either `journal` or `cluster`");
}

interface WatchOptions {
  readonly options: ServerOptions;
  readonly requests: RequestTracker;
  readonly counts: RequestCounts;
  readonly guard: WebGuard;
  readonly instance: Instance;
}

/** Follows all requests that come to Fastify, and answers those that no route takes. */
function watchRequests(app: FastifyInstance, { options, requests, counts, guard, instance }: WatchOptions): void {
  app.setErrorHandler(errorHandler(options.returnErrors ?? 'exception'));
  const answerNotFound = notFoundHandler(options);
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', (request, reply, done) => {
    requests.begin(request.raw, reply.raw, counts.of(request.routeOptions.url), request);
    closeAfterUpgrade(request, reply);
    reply.headers(instance.headers);
    refuseWithoutHost(request);
    if (guard.take(request, reply)) return;
    refuseForAnother(request.headers, instance);
    // Before the body is read: it makes no difference here, whatever it holds.
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
}

/** Whether there are environments: here, in workers, or in a host of somebody's own. */
function servesEnvironments({ environments = [], host }: ServerOptions, workers: ServerWorkers | undefined): boolean {
  return workers?.hasEnvironments ?? (host !== undefined || environments.length > 0);
}

interface ProtocolParts {
  readonly shared: SharedParts & { readonly observation: Observation };
  readonly metrics: Metrics | undefined;
  readonly workers: ServerWorkers | undefined;
  readonly durability: AnyDurability | undefined;
}

/** What was served. */
interface Served {
  readonly ors: OrsService | undefined;
  readonly oxp: OxpService | undefined;
}

async function serveProtocols(
  app: FastifyInstance,
  options: ServerOptions,
  { shared, metrics, workers, durability }: ProtocolParts,
): Promise<Served> {
  const { environments = [], toolkits = [], auth, returnErrors = 'exception' } = options;
  const hasEnvironments = servesEnvironments(options, workers);
  const hasToolkits = workers?.hasToolkits ?? toolkits.length > 0;
  if (!hasEnvironments && !hasToolkits) {
    throw new DefinitionError('there is nothing to serve. Give at least one environment or toolkit');
  }
  // A repeat may reach any server, and only the first one would know its `call_id`.
  if (hasToolkits && options.cluster !== undefined)
    throw new DefinitionError(
      'a cluster shares sessions, and not calls of toolkits: serve those from another server, with a journal',
    );
  const routes = collectRoutes(app);
  const describe = () => openApiDocument(routes, auth);
  const hosts = workers && durability && hostsIn(workers, shared.observation, durability);
  const orsOptions = {
    ...options,
    environments,
    keeper: durability?.keeper,
    around: durability?.around,
    ...hosts?.ors,
  };
  const ors = hasEnvironments ? toOrsService(app, orsOptions, shared) : undefined;
  const observer = options.sessions?.observer;
  const oxpOptions = {
    ...options.oxp,
    toolkits,
    auth,
    returnErrors,
    limits: options.limits ?? {},
    observer,
    keeper: durability?.callKeeper,
    ...hosts?.oxp,
  };
  const oxp = hasToolkits ? toOxpService(app, oxpOptions, shared) : undefined;
  // Both begin to stop at once, and their own hooks wait for the end of it.
  app.addHook('preClose', async () => {
    void oxp?.host.drain();
    void ors?.host.drain();
  });
  if (oxp !== undefined) {
    await app.register(async (scope) => {
      if (ors !== undefined) redirectTools(scope, ors);
      serveOxp(scope, oxp, ors === undefined ? undefined : redirectTo('call', ors, ''));
      if (ors !== undefined) return;
      refuseOtherMethods(scope, () => registerHealth(scope, oxp.docs.health, () => oxp.host.isDraining));
      registerOpenApi(scope, oxp.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, oxp.docs.metrics, metrics);
    });
  }
  if (ors !== undefined) {
    // With toolkits, these two paths are OXP's.
    await app.register(async (scope) => {
      serveOrs(scope, ors, oxp === undefined ? [] : ['tools', 'call']);
      registerOpenApi(scope, ors.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, ors.docs.metrics, metrics);
    });
  }
  return { ors, oxp };
}

/** What records all episodes; undefined where nobody asks for it. */
async function recorderOf(
  app: FastifyInstance,
  { record, returnErrors = 'exception' }: ServerOptions,
): Promise<Recorder | undefined> {
  if (record === undefined) return undefined;
  const { startRecording } = await import('./recording/server-recording.ts');
  try {
    return startRecording(app, record, returnErrors);
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** What outlives a process; undefined where there is but one, and nothing is written down. */
async function durabilityOf(
  app: FastifyInstance,
  { workers, journal, cluster }: ServerOptions,
  limits: Limits,
): Promise<AnyDurability | undefined> {
  if (workers === undefined && journal === undefined && cluster === undefined) return undefined;
  try {
    if (cluster !== undefined) {
      const { serverCluster } = await import('./cluster/server-cluster.ts');
      return await serverCluster(app, cluster, limits);
    }
    const { serverDurability } = await import('./durable/server-journal.ts');
    return await serverDurability(app, journal, limits);
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** A journal of its own, or that of a cluster. */
type AnyDurability = ServerDurability & Partial<Pick<ServerCluster, 'around' | 'numbers'>>;

/** Starts the processes that run authors' code. */
async function workersOf(
  app: FastifyInstance,
  options: ServerOptions,
  workers: WorkersOption,
  limits: Limits,
): Promise<ServerWorkers> {
  const { environments = [], toolkits = [], lenientInputs = true, watchdog, sessions, oxp } = options;
  if (environments.length > 0 || toolkits.length > 0) {
    throw new DefinitionError(
      'workers load their modules by themselves: give either them, or environments and toolkits',
    );
  }
  const { startWorkers } = await import('./workers/server-workers.ts');
  return startWorkers(app, {
    workers,
    limits,
    lenient: { environments: lenientInputs, toolkits: oxp?.lenientInputs ?? false },
    callsAfterFinish: sessions?.callsAfterFinish,
    watchdog: toWatchdogOutput(app, watchdog),
  }).catch(async (thrown) => {
    await app.close();
    throw thrown;
  });
}

interface WorkerHosts {
  readonly ors: Pick<OrsOptions, 'host'>;
  readonly oxp: Pick<OxpOptions, 'host'>;
}

function hostsIn(
  workers: ServerWorkers,
  { traceOfCode }: Pick<Observation, 'traceOfCode'>,
  { keeper, callKeeper }: ServerDurability,
): WorkerHosts {
  return {
    ors: { host: workers.sessionHost(traceOfCode, keeper) },
    oxp: { host: workers.toolHost(traceOfCode, callKeeper) },
  };
}

// Of a larger number Node takes the lower 32 bits.
const MAX_BACKLOG = 2 ** 31 - 1;

interface ServerParts {
  readonly servers: HttpServers;
  readonly limits: Limits;
  readonly guard: WebGuard;
  readonly served: ServedNames;
}

function toServer(app: FastifyInstance, { servers, limits, guard, served }: ServerParts): Server {
  let url = '';
  return {
    app,
    limits,
    served,
    get url() {
      return url;
    },
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      guard.answerTo(host);
      const backlog = Math.min(limits.backlog, MAX_BACKLOG);
      try {
        url = await app.listen({ port, host, backlog });
        if (host === 'localhost') await servers.listenBeside(app.server, backlog);
      } catch (thrown) {
        throw explain(toError(thrown), { port, host });
      }
      return url;
    },
    close: () => app.close(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function explain(error: Error & { code?: string }, { port, host }: Required<ListenOptions>): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} is taken. Choose another port, or stop what uses it`, { cause: error });
  if (error.code === 'EACCES')
    return new Error(`port ${port} needs root privileges. Choose a port above 1023`, { cause: error });
  if (error.code === 'EADDRNOTAVAIL') {
    const choices = '127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses, or one of them';
    return new Error(`this machine has no address ${host}. Choose ${choices}`, { cause: error });
  }
  return error;
}
