import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observer, TraceHeaders } from '../sessions/index.ts';
import { callLog } from './call-log.ts';
import type { Metrics } from './metrics.ts';
import { combine } from './observers.ts';

/** How a server sees what it does. */
export interface Observation {
  readonly observer: Observer;
  /** To which trace a request belongs; undefined where nobody traces. */
  readonly traceOf: ((request: FastifyRequest) => TraceHeaders) | undefined;
}

/** What of an app is used. */
export type Observed = Pick<FastifyInstance, 'log' | 'addHook'>;

/** Logs, and metrics where they are wanted. */
export function observe(app: Observed, metrics?: Metrics): Observation {
  const observers = [callLog(app.log), metrics].filter((each) => each !== undefined);
  return { observer: combine(observers), traceOf: undefined };
}
