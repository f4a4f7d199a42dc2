import type { Socket } from 'node:net';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { DefinitionError, type Environment, type Limits, type Toolkit, toError, toLimits } from '../core/index.ts';
import {
  answerClientError,
  answerExpectation,
  closeAfterUpgrade,
  refuseTunnel,
  refuseWithoutHost,
} from './http/client-errors.ts';
import { errorHandler } from './http/errors.ts';
import { callLane, putBefore } from './http/fast-path.ts';
import { registerHealth } from './http/health.ts';
import { logLimits, toTimeouts } from './http/limits.ts';
import { refuseOtherMethods } from './http/methods.ts';
import { notFoundHandler } from './http/not-found.ts';
import { openRequests } from './http/request-tracker.ts';
import { endConnections } from './http/shutdown.ts';
import { serverLogger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { registerMetrics } from './observe/metrics-route.ts';
import { type ObservationOptions, observe } from './observe/observation.ts';
import { RequestCounts } from './observe/request-counts.ts';
import { RunningCalls } from './observe/running-calls.ts';
import { toSessionLimits, warnOfTighterLimit } from './observe/session-limits.ts';
import { StopLog } from './observe/stop-log.ts';
import { collectRoutes, openApiDocument, registerOpenApi } from './openapi/document.ts';
import { anArray, anything, assertOptions, type OptionRules, trueOrFalse } from './options.ts';
import { CALL_ROUTE } from './ors/call.ts';
import { redirectTools } from './ors/deployment.ts';
import { ORS_OPTIONS, type OrsFace, type OrsOptions, serveOrs, toOrsFace } from './ors/plugin.ts';
import { redirectTo } from './ors/redirects.ts';
import { OXP_OPTIONS, type OxpOptions, serveOxp, toOxpFace } from './oxp/plugin.ts';

/** What a server is made from: environments, toolkits, or both. */
export interface ServerOptions extends Omit<OrsOptions, 'environments'> {
  readonly environments?: readonly Environment[];
  readonly toolkits?: readonly Toolkit[];
  /** What is special to OXP. */
  readonly oxp?: Omit<OxpOptions, 'toolkits' | 'auth' | 'returnErrors' | 'limits' | 'observer'>;
  /** Pino's options or logger, or false. Default: warnings and errors to standard output. */
  readonly logger?: FastifyServerOptions['logger'];
  /** Whether GET /metrics shows numbers for Prometheus; with auth, not to agents. Default: true. */
  readonly metrics?: boolean;
}

const SERVER_OPTIONS: OptionRules<ServerOptions> = {
  ...ORS_OPTIONS,
  toolkits: anArray,
  oxp: anything,
  logger: anything,
  metrics: trueOrFalse,
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
  /** Begins to take requests; resolves with the URL. */
  listen(options?: ListenOptions): Promise<string>;
  /** Takes no new sessions and calls, lets those that run end for a while (`limits.drainMs`), then ends the rest. */
  close(): Promise<void>;
}

/** Makes a server; mistakes in the definitions are reported here. */
export async function createServer(options: ServerOptions): Promise<Server> {
  assertServerOptions(options);
  const limits = toLimits(options.limits);
  const { requestTimeout, ...timeouts } = toTimeouts(limits);
  const { logger, eventsOf } = serverLogger(options.logger ?? { level: 'warn' });
  const app = Fastify({
    logger,
    // One line a request is written below; the line at its arrival would double the cost.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would cost more than the request's line.
    childLoggerFactory: (logger) => logger,
    bodyLimit: limits.bodyBytes,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout,
    // Node would answer a missing Host without a body; refuseWithoutHost does better.
    http: { maxHeaderSize: limits.headerBytes, requireHostHeader: false, requestTimeout, ...timeouts },
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
      (reply as FastifyReply).code(error.statusCode ?? 400).send({ detail: error.message });
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, requests),
  });
  const events = eventsOf(app);
  const counts = new RequestCounts();
  const requests = openRequests({ events, counts });
  app.setErrorHandler(errorHandler(options.returnErrors ?? 'exception'));
  const answerNotFound = notFoundHandler(options);
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', (request, reply, done) => {
    requests.begin(request.raw, reply.raw, counts.of(request.routeOptions.url), request);
    closeAfterUpgrade(request, reply);
    refuseWithoutHost(request);
    // Before the body is read: it makes no difference here, whatever it holds.
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
  app.server.on('checkExpectation', (request, response) => {
    requests.begin(request, response);
    answerExpectation(request, response);
  });
  app.server.on('connect', (request, socket: Socket) => refuseTunnel(request, socket, requests));
  const sessionLimits = options.environments?.length ? toSessionLimits(limits, options.auth) : undefined;
  const running = new RunningCalls();
  const stops = new StopLog(app, running);
  const metrics =
    options.metrics === false ? undefined : new Metrics({ requests: counts, running, limits: sessionLimits });
  app.addHook('preClose', async () => metrics?.stopping());
  const observers = { events, metrics, others: [running, stops] };
  const orsFace = await registerFaces(app, options, observers).catch(async (thrown) => {
    // What it holds already, such as the buffers of its log, would stay for ever.
    await app.close();
    throw thrown;
  });
  metrics?.expect(orsFace?.catalog.environments.map(({ name }) => name) ?? []);
  await app.register(endConnections, limits);
  await app.ready();
  const calls = counts.of(CALL_ROUTE);
  if (orsFace !== undefined) putBefore(app.server, callLane(orsFace, { limits, requests, calls, log: app.log }));
  logLimits(app.log, limits, ['server', 'environments', 'toolkits', 'both']);
  if (sessionLimits !== undefined) warnOfTighterLimit(app.log, sessionLimits, options.limits ?? {});
  return toServer(app, limits);
}

function assertServerOptions(options: ServerOptions): void {
  assertOptions(options, SERVER_OPTIONS, 'createServer');
  const { toolkits, auth, returnErrors, limits, observer, ...own } = OXP_OPTIONS;
  if (options.oxp !== undefined) assertOptions(options.oxp, own, 'oxp');
}

async function registerFaces(
  app: FastifyInstance,
  options: ServerOptions,
  observation: ObservationOptions,
): Promise<OrsFace | undefined> {
  const { environments = [], toolkits = [], auth, returnErrors = 'exception' } = options;
  if (environments.length === 0 && toolkits.length === 0) {
    throw new DefinitionError('there is nothing to serve. Give at least one environment or toolkit');
  }
  const routes = collectRoutes(app);
  const describe = () => openApiDocument(routes, auth);
  const observed = observe(app, observation);
  const { metrics } = observation;
  const orsFace = environments.length === 0 ? undefined : toOrsFace(app, { ...options, environments }, observed);
  const observer = options.sessions?.observer;
  const oxpOptions = { ...options.oxp, toolkits, auth, returnErrors, limits: options.limits ?? {}, observer };
  const oxpFace = toolkits.length === 0 ? undefined : toOxpFace(app, oxpOptions, observed);
  // Both begin to stop at once, and their own hooks wait for the end of it.
  app.addHook('preClose', async () => {
    void oxpFace?.toolbox.close();
    void orsFace?.host.close();
  });
  if (oxpFace !== undefined) {
    await app.register(async (scope) => {
      if (orsFace !== undefined) redirectTools(scope, orsFace);
      serveOxp(scope, oxpFace, orsFace === undefined ? undefined : redirectTo('call', orsFace, ''));
      if (orsFace !== undefined) return;
      refuseOtherMethods(scope, () => registerHealth(scope, oxpFace.docs.health, () => oxpFace.toolbox.isClosed));
      registerOpenApi(scope, oxpFace.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, oxpFace.docs.metrics, metrics);
    });
  }
  if (orsFace !== undefined) {
    // With toolkits, these two paths are OXP's.
    await app.register(async (scope) => {
      serveOrs(scope, orsFace, oxpFace === undefined ? [] : ['tools', 'call']);
      registerOpenApi(scope, orsFace.docs.openapi, describe);
      if (metrics !== undefined) registerMetrics(scope, orsFace.docs.metrics, metrics);
    });
  }
  return orsFace;
}

// Of a larger number Node takes the lower 32 bits.
const MAX_BACKLOG = 2 ** 31 - 1;

function toServer(app: FastifyInstance, limits: Limits): Server {
  let url = '';
  return {
    app,
    limits,
    get url() {
      return url;
    },
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      try {
        url = await app.listen({ port, host, backlog: Math.min(limits.backlog, MAX_BACKLOG) });
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
    return new Error(`port ${port} needs more rights. Choose one above 1023`, { cause: error });
  if (error.code === 'EADDRNOTAVAIL') {
    const choices = '127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses, or one of them';
    return new Error(`this machine has no address ${host}. Choose ${choices}`, { cause: error });
  }
  return error;
}
