import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Limits } from '../../core/index.ts';
import type { LoggerOption } from '../observe/logger.ts';
import { answerFrameworkError } from './client-errors.ts';
import type { HttpServers } from './http-servers.ts';

/** What an app is made from. */
export interface AppOptions {
  readonly servers: HttpServers;
  readonly limits: Limits;
  readonly logger: LoggerOption;
}

/** The app of a server, without anything in it. */
export function makeApp({ servers, limits, logger }: AppOptions): FastifyInstance {
  return Fastify({
    logger,
    // Each request has one line, at its end; the line at its arrival would double the cost.
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
    frameworkErrors: (error, request, reply) =>
      answerFrameworkError(error, request as FastifyRequest, reply as FastifyReply, servers.desk),
    // Each of our servers answers what is not HTTP by itself.
    clientErrorHandler: () => {},
  });
}
