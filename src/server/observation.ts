import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observer, TraceHeaders } from '../sessions/index.ts';
import { callLog } from './call-log.ts';
import type { Metrics } from './metrics.ts';
import { combine } from './observers.ts';
import { tracing } from './tracing.ts';

/** How a server sees what it does. */
export interface Observation {
  readonly observer: Observer;
  /** To which trace a request belongs; undefined where nobody traces. */
  readonly traceOf: ((request: FastifyRequest) => TraceHeaders) | undefined;
}

/** What of an app is used. */
export type Observed = Pick<FastifyInstance, 'log' | 'addHook'>;

/** Logs, metrics where they are wanted, and traces where an SDK is registered. */
export function observe(app: Observed, metrics?: Metrics): Observation {
  const traces = tracing();
  if (traces !== undefined) app.addHook('onClose', () => traces.flush());
  const observers = [callLog(app.log), metrics, traces].filter((each) => each !== undefined);
  return {
    observer: combine(observers),
    traceOf: traces === undefined ? undefined : (request) => traces.headersOf(request),
  };
}
