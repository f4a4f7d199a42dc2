import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { type EventLog, eventLog } from './event-log.ts';
import { fastLog } from './fast-log.ts';
import { logBatches } from './log-batches.ts';

/** What a user may give as `logger`: pino's options or logger, or whether there is one. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

/** What of an app is used. */
export type Logged = Pick<FastifyInstance, 'log' | 'addHook'>;

/** A logger for Fastify, and how lines about requests, calls and sessions are written to it. */
export interface ServerLogger {
  readonly logger: LoggerOption;
  eventsOf(app: Logged): EventLog;
}

/** Makes a logger write to standard output in batches, unless the user has chosen where it writes. */
export function serverLogger(logger: LoggerOption): ServerLogger {
  if (!writesToStandardOutput(logger)) return { logger, eventsOf: ({ log }) => eventLog(log) };
  const options = logger === true ? {} : logger;
  const stream = logBatches(process.stdout);
  const isPlain = Object.keys(options).every((key) => key === 'level');
  return {
    logger: { ...options, stream },
    eventsOf(app) {
      app.addHook('onClose', async () => stream[Symbol.dispose]());
      return isPlain ? fastLog(app.log, stream) : eventLog(app.log);
    },
  };
}

function writesToStandardOutput(logger: LoggerOption): logger is true | Exclude<LoggerOption, boolean> {
  if (typeof logger !== 'object') return logger;
  return !['stream', 'file', 'transport', 'info'].some((key) => key in logger);
}
