import type { FastifyInstance } from 'fastify';
import type { Limits } from '../core/index.ts';
import type { Transfers } from './http/transfers.ts';
import { callMetrics } from './observe/call-metrics.ts';
import { descriptorMetrics } from './observe/descriptors.ts';
import { durabilityMetrics } from './observe/durability-metrics.ts';
import type { EventLog } from './observe/event-log.ts';
import { EventLoopLag } from './observe/event-loop-lag.ts';
import { memoryMetrics } from './observe/memory-metrics.ts';
import { Metrics } from './observe/metrics.ts';
import { Numbers } from './observe/numbers.ts';
import { type Observation, observe } from './observe/observation.ts';
import { processMetrics } from './observe/process-metrics.ts';
import { recordingMetrics } from './observe/recording-metrics.ts';
import type { RequestCounts } from './observe/request-counts.ts';
import { type SessionLimits, sessionLimitMetrics } from './observe/session-limits.ts';
import { sessionMetrics } from './observe/session-metrics.ts';
import { logStop } from './observe/stop-log.ts';
import { stopMetrics } from './observe/stop-metrics.ts';
import { UncaughtErrors } from './observe/uncaught-errors.ts';
import { serverWatchdog } from './observe/watchdog/server-watchdog.ts';
import type { Watchdog } from './observe/watchdog/watchdog.ts';
import { workerMetrics } from './observe/worker-metrics.ts';
import type { OptionalParts } from './optional-parts.ts';
import type { ServerOptions } from './server-options.ts';

/** What there is to see of a server. */
export interface Observed {
  readonly options: Pick<ServerOptions, 'metrics' | 'watchdog'>;
  readonly limits: Limits;
  /** Undefined where there are no sessions. */
  readonly sessionLimits: SessionLimits | undefined;
  readonly events: EventLog;
  readonly counts: RequestCounts;
  readonly transfers: Transfers;
  readonly parts: OptionalParts;
}

/** What watches a server. */
export interface ServerObservation {
  readonly observation: Observation;
  readonly numbers: Numbers;
  /** Undefined where nobody is shown them. */
  readonly metrics: Metrics | undefined;
  readonly watchdog: Watchdog | undefined;
}

/** Has a server logged, counted, traced, recorded and watched, as its options say. */
export function observeServer(app: FastifyInstance, observed: Observed): ServerObservation {
  const { options, limits, events, parts } = observed;
  const { recorder, feed } = parts;
  const numbers = new Numbers();
  logStop(app, numbers);
  const watchdog = serverWatchdog(app, options.watchdog, limits);
  const metrics = options.metrics === false ? undefined : metricsOf(app, observed, { numbers, watchdog });
  const observation = observe(app, { events, numbers, watchdog, recorder, feed });
  return { observation, numbers, metrics, watchdog };
}

function metricsOf(
  app: FastifyInstance,
  { sessionLimits, counts, transfers, parts: { workers, recorder, durability } }: Observed,
  { numbers, watchdog }: Pick<ServerObservation, 'numbers' | 'watchdog'>,
): Metrics {
  const published = [
    new EventLoopLag(),
    new UncaughtErrors(),
    sessionLimits && sessionLimitMetrics(sessionLimits, numbers.owned),
    sessionMetrics(numbers),
    callMetrics(numbers),
    counts,
    stopMetrics(app),
    memoryMetrics(() => transfers.numbers),
    processMetrics(() => numbers.liveSessions),
    descriptorMetrics(),
    watchdog?.blocks,
    workers && workerMetrics(workers.pool),
    recorder && recordingMetrics(recorder.numbers),
    durability?.numbers,
    durabilityMetrics(numbers),
  ];
  return new Metrics(published.filter((each) => each !== undefined));
}
