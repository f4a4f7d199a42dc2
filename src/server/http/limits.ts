import { LIMIT_NAMES, LIMITS, type LimitPlace, type Limits, type Log } from '../../core/index.ts';

/** Writes the limits in force into the log, in one line: those that hold in the given places. */
export function logLimits(log: Log, limits: Limits, places: readonly LimitPlace[]): void {
  const names = LIMIT_NAMES.filter((name) => places.includes(LIMITS[name].place));
  log.info({ limits: Object.fromEntries(names.map((name) => [name, limits[name]])) }, 'limits in force');
}

/** Limits on how slowly requests may come, in the words of Node. */
export function toTimeouts({ headersMs, requestMs }: Limits): {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly connectionsCheckingInterval: number;
} {
  // The headers are part of the request; Node refuses what says otherwise.
  const headersTimeout = Math.min(headersMs, requestMs);
  // Node looks at its connections only now and then; a limit should not be late by more than a part of itself.
  const connectionsCheckingInterval = Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, Math.round(headersTimeout / 10)));
  return { requestTimeout: requestMs, headersTimeout, connectionsCheckingInterval };
}

const MIN_CHECK_MS = 10;
const MAX_CHECK_MS = 5_000;

/** The longest that a server may take to stop, if every step takes all the time that it may. */
export function longestStopMs({ drainMs, graceMs, teardownMs, noticeMs, closeMs }: Limits): number {
  return drainMs + graceMs + teardownMs + noticeMs + closeMs;
}
