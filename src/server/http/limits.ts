import type { ServerOptions } from 'node:http';
import { LIMIT_NAMES, LIMITS, type LimitPlace, type Limits, type Log } from '../../core/index.ts';

/** Writes the limits in force into the log, in one line: those that hold in the given places. */
export function logLimits(log: Log, limits: Limits, places: readonly LimitPlace[]): void {
  const names = LIMIT_NAMES.filter((name) => places.includes(LIMITS[name].place));
  log.info({ limits: Object.fromEntries(names.map((name) => [name, limits[name]])) }, 'limits in force');
}

/** Limits of connections, in the words of Node. */
export function toNodeOptions({ headersMs, requestMs, headerBytes, keepAliveMs }: Limits): ServerOptions {
  // The headers are part of the request; Node refuses what says otherwise.
  const headersTimeout = Math.min(headersMs, requestMs);
  return {
    requestTimeout: requestMs,
    headersTimeout,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytes,
    // Node would answer a missing Host without a body; refuseWithoutHost does better.
    requireHostHeader: false,
    // Node looks at its connections only now and then; a limit should not be late by more than a part of itself.
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, Math.round(headersTimeout / 10))),
  };
}

const MIN_CHECK_MS = 10;
const MAX_CHECK_MS = 5_000;

/** The longest that a server may take to stop, if every step takes all the time that it may. */
export function longestStopMs({ drainMs, graceMs, teardownMs, noticeMs, closeMs }: Limits): number {
  return drainMs + graceMs + teardownMs + noticeMs + closeMs;
}
