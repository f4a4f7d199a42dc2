import type { FastifyRequest } from 'fastify';
import { combineObservers, type Observer, type Subject, type TraceHeaders } from '../../sessions/index.ts';
import { type EventLog, eventLog } from './event-log.ts';
import type { Logged } from './logger.ts';
import type { Numbers } from './numbers.ts';
import { tracing } from './tracing.ts';

/** How a server sees what it does. */
export interface Observation {
  readonly observer: Observer;
  /** To which trace a request belongs; undefined where nobody traces. */
  readonly traceOf: ((request: Pick<FastifyRequest, 'headers'>) => TraceHeaders) | undefined;
  /** To which trace code in another process belongs; undefined where nobody traces. */
  readonly traceOfCode: ((subject: Subject) => TraceHeaders | undefined) | undefined;
}

/** What a server of its own brings along; a mounted protocol has only the logger of its app. */
export interface ObservationOptions {
  readonly numbers?: Numbers;
  readonly events?: EventLog;
  readonly watchdog?: Observer | undefined;
  readonly recorder?: Observer | undefined;
  readonly feed?: Observer | undefined;
}

/** Logs, numbers where they are wanted, and traces where an SDK is registered. */
export function observe(
  app: Logged,
  { numbers, events = eventLog(app.log), watchdog, recorder, feed }: ObservationOptions = {},
): Observation {
  const traces = tracing();
  if (traces !== undefined) app.addHook('onClose', () => traces.flush());
  return {
    observer: combineObservers(
      [events, numbers, traces, watchdog, recorder, feed].filter((each) => each !== undefined),
    ),
    traceOf: traces === undefined ? undefined : (request) => traces.headersOf(request),
    traceOfCode: traces === undefined ? undefined : (subject) => traces.headersFor(subject),
  };
}
