import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observer, TraceHeaders } from '../sessions/index.ts';
import { callLog } from './call-log.ts';
import { combine } from './observers.ts';

/** How a server sees what it does. */
export interface Observation {
  readonly observer: Observer;
  /** To which trace a request belongs; undefined where nobody traces. */
  readonly traceOf: ((request: FastifyRequest) => TraceHeaders) | undefined;
}

/** What of an app is used. */
export type Observed = Pick<FastifyInstance, 'log' | 'addHook'>;

/** Writes the log. */
export function observe(app: Observed): Observation {
  return { observer: combine([callLog(app.log)]), traceOf: undefined };
}
