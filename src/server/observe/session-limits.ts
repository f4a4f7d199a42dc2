import type { Limits, Log } from '../../core/index.ts';
import type { Counts } from '../../sessions/index.ts';
import { type Published, publishGauge } from './publish.ts';

/** How many sessions a server takes. */
export interface SessionLimits {
  readonly maxSessions: number;
  /** Undefined without auth: everybody is the same nobody then, and only the other holds. */
  readonly maxSessionsPerIdentity: number | undefined;
}

/** The limits of sessions that hold, by whether there is auth. */
export function toSessionLimits(limits: Limits, auth: object | undefined): SessionLimits {
  const { maxSessions, maxSessionsPerIdentity } = limits;
  return { maxSessions, maxSessionsPerIdentity: auth === undefined ? undefined : maxSessionsPerIdentity };
}

/** The limits of sessions and, since one identity may be full before the server is, how many the fullest has. */
export function sessionLimitMetrics({ maxSessions, maxSessionsPerIdentity }: SessionLimits, owned: Counts): Published {
  return {
    publish(registry) {
      publishGauge(registry, {
        name: 'tiltyard_sessions_limit',
        help: 'Limit on concurrent sessions (maxSessions).',
        read: () => maxSessions,
      });
      if (maxSessionsPerIdentity === undefined) return;
      publishGauge(registry, {
        name: 'tiltyard_sessions_limit_per_identity',
        help: 'Limit on concurrent sessions per identity (maxSessionsPerIdentity).',
        read: () => maxSessionsPerIdentity,
      });
      publishGauge(registry, {
        name: 'tiltyard_sessions_live_of_fullest_identity',
        help: 'Live sessions of the identity that has the most.',
        read: () => owned.most,
      });
    },
  };
}

/**
 * Warns of a `maxSessions` that somebody has chosen and that one identity cannot use, because the other limit was left as
 * it is: most trainers come with one key. Who has chosen both has tenants in mind.
 */
export function warnOfTighterLimit(log: Log, { maxSessionsPerIdentity }: SessionLimits, chosen: Partial<Limits>): void {
  const { maxSessions } = chosen;
  if (maxSessions === undefined || maxSessionsPerIdentity === undefined || maxSessionsPerIdentity >= maxSessions)
    return;
  if (chosen.maxSessionsPerIdentity !== undefined) return;
  log.warn(
    { maxSessions, maxSessionsPerIdentity },
    `maxSessions is ${maxSessions}, but one identity gets no more than ${maxSessionsPerIdentity} sessions. Set maxSessionsPerIdentity as well`,
  );
}
