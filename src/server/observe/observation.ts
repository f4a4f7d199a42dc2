import type { FastifyRequest } from 'fastify';
import type { Observer, TraceHeaders } from '../../sessions/index.ts';
import { type EventLog, eventLog } from './event-log.ts';
import type { Logged } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { combine } from './observers.ts';
import { tracing } from './tracing.ts';

/** How a server sees what it does. */
export interface Observation {
  readonly observer: Observer;
  /** To which trace a request belongs; undefined where nobody traces. */
  readonly traceOf: ((request: Pick<FastifyRequest, 'headers'>) => TraceHeaders) | undefined;
}

/** What a server of its own brings along; a mounted face has only the logger of its app. */
export interface ObservationOptions {
  readonly metrics?: Metrics | undefined;
  readonly events?: EventLog | undefined;
  /** Those who hear the same, and are shown elsewhere. */
  readonly others?: readonly Observer[];
}

/** Logs, metrics where they are wanted, and traces where an SDK is registered. */
export function observe(app: Logged, options: ObservationOptions = {}): Observation {
  const { metrics, others = [], events = eventLog(app.log) } = options;
  const traces = tracing();
  if (traces !== undefined) app.addHook('onClose', () => traces.flush());
  const observers = [...others, events, metrics, traces].filter((each) => each !== undefined);
  return {
    observer: combine(observers),
    traceOf: traces === undefined ? undefined : (request) => traces.headersOf(request),
  };
}
