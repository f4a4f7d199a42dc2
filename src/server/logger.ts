import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { logBatches } from './log-batches.ts';
import { type LineLogger, lineWriter, type WriteLine } from './log-lines.ts';

/** What a user may give as `logger`: pino's options or logger, or whether there is one. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

/** What of an app is used. */
export type Logged = Pick<FastifyInstance, 'log' | 'addHook'>;

/** A logger for Fastify, and how the lines of requests and calls are written. */
export interface ServerLogger {
  readonly logger: LoggerOption;
  linesOf(app: Logged): WriteLine;
}

/** Makes a logger write to standard output in batches, unless the user has chosen where it writes. */
export function serverLogger(logger: LoggerOption): ServerLogger {
  if (!writesToStandardOutput(logger)) return { logger, linesOf: plainLines };
  const options = logger === true ? {} : logger;
  const stream = logBatches(process.stdout);
  const isPlain = Object.keys(options).every((key) => key === 'level');
  return {
    logger: { ...options, stream },
    linesOf(app) {
      app.addHook('onClose', async () => stream[Symbol.dispose]());
      return isPlain ? lineWriter(app.log as LineLogger, stream) : plainLines(app);
    },
  };
}

/** Lines through the logger itself, which may redact or rename what is in them. */
export function plainLines({ log }: Logged): WriteLine {
  return (fields, message) => log.info(fields, message);
}

function writesToStandardOutput(logger: LoggerOption): logger is true | Exclude<LoggerOption, boolean> {
  if (typeof logger !== 'object') return logger;
  return !['stream', 'file', 'transport', 'info'].some((key) => key in logger);
}
