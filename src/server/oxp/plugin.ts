import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toLimits } from '../../core/index.ts';
import { OXP_SCHEMA, type ToolList } from '../../protocol/index.ts';
import { isVisible } from '../../sessions/index.ts';
import { identifyCallers, identityOf } from '../auth/identify.ts';
import { byFastify } from '../http/exchange.ts';
import { registerHealth } from '../http/health.ts';
import { newInstance, serveInstance } from '../http/instance.ts';
import { logLimits } from '../http/limits.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { sendLargeAnswersInPieces } from '../http/pieces.ts';
import { readBodiesAsText } from '../http/read-body.ts';
import { stopInApp } from '../http/shutdown.ts';
import { guardWeb } from '../http/web-guard.ts';
import { assertMountable, assertOptions, PLUGIN_OPTIONS } from '../options.ts';
import { answerCall, CALL_ROUTE } from './call.ts';
import { OxpError, oxpErrorHandler, unavailable } from './errors.ts';
import { OXP_OPTIONS, type OxpOptions, type OxpService, toOxpService } from './service.ts';

/** The Open eXecution Protocol as a Fastify plugin: `app.register(oxp, { toolkits })`. */
export async function oxp(app: FastifyInstance, options: OxpOptions): Promise<void> {
  assertOptions(options, { ...OXP_OPTIONS, ...PLUGIN_OPTIONS }, 'oxp');
  assertMountable(app.prefix, 'oxp');
  guardWeb(app, options);
  const service = toOxpService(app, options);
  const limits = toLimits(options.limits);
  serveInstance(app, newInstance());
  refuseOtherMethods(app, () => registerHealth(app, service.docs.health, () => service.host.isDraining));
  serveOxp(app, service);
  stopInApp(app, { ...limits, teardownMs: 0 });
  logLimits(app.log, limits, ['toolkits', 'both']);
}

/** What to do with a POST to /call that is not OXP's: on a server with environments it may mean one of them. */
export type ForeignCall = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Registers the routes of OXP, with what every request of them passes first. */
export function serveOxp(app: FastifyInstance, service: OxpService, foreignCall?: ForeignCall): void {
  const { transfers } = service;
  readBodiesAsText(app, { transfers, toError: (failure) => unavailable(failure, service.unavailableStatus) });
  sendLargeAnswersInPieces(app, transfers);
  app.setErrorHandler(oxpErrorHandler);
  identifyCallers(app, service.authenticator, {
    isOpen: ({ routeOptions }) => routeOptions.url === `${app.prefix}/health`,
    onUnknown: (error, request) => unauthorized(error, request.method === 'POST' ? service.unauthorizedStatus : 401),
  });
  // Before the server waits for its connections: those who wait for a call are answered when it ends.
  app.addHook('preClose', () => service.host.drain());
  refuseOtherMethods(app, () => {
    app.get('/tools', service.docs.tools, async (request) => {
      const { scopes } = identityOf(request);
      const visible = service.host.tools.filter((tool) => isVisible(scopes, tool));
      const items = visible.map(({ definition }) => service.publish(definition));
      await service.batch.end();
      return { $schema: OXP_SCHEMA, items, tools: items } satisfies ToolList;
    });
    app.post(CALL_ROUTE, service.docs.call, (request, reply) =>
      answerCall(service, byFastify(request, reply, service.traceOf)),
    );
    app.post('/call', service.docs.callAlias, (request, reply) => {
      const isForeign = foreignCall !== undefined && !isOxpCall(service, request);
      return isForeign ? foreignCall(request, reply) : answerCall(service, byFastify(request, reply, service.traceOf));
    });
  });
}

function isOxpCall({ parse }: OxpService, request: FastifyRequest): boolean {
  try {
    return 'request' in parse(request);
  } catch {
    return false; // Not JSON: ORS will say so in its own words.
  }
}

function unauthorized(cause: Error, status: 400 | 401): OxpError {
  return new OxpError('Valid credentials are required', {
    status,
    developerMessage: cause.message,
    headers: { 'www-authenticate': 'Bearer' },
    cause,
  });
}
