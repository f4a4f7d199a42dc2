import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { logBatches } from './log-batches.ts';

/** What a user may give as `logger`: pino's options or logger, or whether there is one. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

/** A logger for Fastify, and how to write what it still holds when the server has closed. */
export interface ServerLogger {
  readonly logger: LoggerOption;
  closeWith(app: FastifyInstance): void;
}

/** Makes a logger write to standard output in batches, unless the user has chosen where it writes. */
export function serverLogger(logger: LoggerOption): ServerLogger {
  if (!writesToStandardOutput(logger)) return { logger, closeWith() {} };
  const stream = logBatches(process.stdout);
  return {
    logger: { ...(logger === true ? {} : logger), stream },
    closeWith: (app) => void app.addHook('onClose', async () => stream[Symbol.dispose]()),
  };
}

function writesToStandardOutput(logger: LoggerOption): boolean {
  if (typeof logger !== 'object') return logger;
  return !['stream', 'file', 'transport', 'info'].some((key) => key in logger);
}
