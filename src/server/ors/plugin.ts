import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Failure, toLimits } from '../../core/index.ts';
import { isAbsent, sessionBytes } from '../../sessions/index.ts';
import { identifyCallers, identityOf } from '../auth/identify.ts';
import { errorHandler } from '../http/errors.ts';
import { findSid } from '../http/headers.ts';
import { newInstance, serveInstance } from '../http/instance.ts';
import { logLimits } from '../http/limits.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { sendLargeAnswersInPieces } from '../http/pieces.ts';
import { announcedBytes, readBodiesAsText } from '../http/read-body.ts';
import { stopInApp } from '../http/shutdown.ts';
import { guardWeb } from '../http/web-guard.ts';
import { toSessionLimits, warnOfTighterLimit } from '../observe/session-limits.ts';
import { assertMountable, assertOptions, PLUGIN_OPTIONS } from '../options.ts';
import { CALL_ROUTE, registerCall } from './call.ts';
import { registerRequiredSecrets } from './deployment.ts';
import { registerReads } from './reads.ts';
import { registerRedirects } from './redirects.ts';
import { enforceScopes } from './scopes.ts';
import { ORS_OPTIONS, type OrsOptions, type OrsService, toOrsService } from './service.ts';
import { CREATE_ROUTE, registerSessions } from './sessions.ts';

/** The Open Reward Standard as a Fastify plugin: `app.register(ors, { environments })`. */
export async function ors(app: FastifyInstance, options: OrsOptions): Promise<void> {
  assertOptions(options, { ...ORS_OPTIONS, ...PLUGIN_OPTIONS }, 'ors');
  assertMountable(app.prefix, 'ors');
  guardWeb(app, options);
  serveInstance(app, newInstance());
  serveOrs(app, toOrsService(app, options));
  const limits = toLimits(options.limits);
  stopInApp(app, limits);
  logLimits(app.log, limits, ['environments', 'both']);
  warnOfTighterLimit(app.log, toSessionLimits(limits, options.auth), options.limits ?? {});
}

/** Registers the routes of ORS, with what every request of them passes first; `taken` are bare paths of others. */
export function serveOrs(app: FastifyInstance, service: OrsService, taken: readonly string[] = []): void {
  const { transfers } = service.streams;
  readBodiesAsText(app, { transfers, refusal: (request) => refusalBeforeBody(service, app.prefix, request) });
  sendLargeAnswersInPieces(app, transfers);
  app.setErrorHandler(errorHandler(service.streams.returnErrors));
  identifyCallers(app, service.authenticator, {
    isOpen: ({ routeOptions }) => routeOptions.url === `${app.prefix}/health`,
  });
  if (service.authenticator !== undefined) enforceScopes(app);
  app.addHook('onRequest', (request, _reply, done) => {
    touch(service, request);
    done();
  });
  // Before the server waits for its connections: the streams among them end with their sessions.
  app.addHook('preClose', () => service.host.drain());
  refuseOtherMethods(app, () => {
    registerReads(app, service);
    registerRequiredSecrets(app, service);
    registerSessions(app, service);
    registerCall(app, service);
  });
  registerRedirects(app, service, taken);
}

/** Why a large body is not worth reading: there is no session for its call, or no memory for its session. */
async function refusalBeforeBody(
  { host, streams: { transfers } }: OrsService,
  prefix: string,
  request: FastifyRequest,
): Promise<Failure | undefined> {
  const { id: identity } = identityOf(request);
  const route = request.routeOptions.url?.slice(prefix.length);
  if (route === CREATE_ROUTE) return transfers.memory.refusal(identity, sessionBytes(announcedBytes(request)), 'long');
  const sid = findSid(request.headers);
  if (sid === undefined || route !== CALL_ROUTE) return undefined;
  const state = await host.touch({ identity, sid });
  return isAbsent(state) ? state : undefined;
}

// Any request that names a session keeps it alive, also one that does not need it.
function touch({ host }: OrsService, request: FastifyRequest): void {
  const sid = findSid(request.headers);
  if (sid !== undefined) void host.touch({ identity: identityOf(request).id, sid });
}
