import type { FastifyBaseLogger } from 'fastify';
import type { Observer } from '../sessions/index.ts';

/** A request that has been answered, or whose client has left. Of what is no HTTP, only the answer is known. */
export interface EndedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The session it names, if any. */
  readonly sid?: string | undefined;
  readonly status: number;
  /** What Node's parser found wrong with it. */
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** Writes a line for each request, call and session that ended. Inputs and results are not in it: they may hold secrets. */
export interface EventLog extends Pick<Observer, 'callEnded' | 'sessionEnded'> {
  requestEnded(request: EndedRequest): void;
}

/** What of a logger is used. */
export type EventLogger = Pick<FastifyBaseLogger, 'info'>;

/** Lines through a logger, which may redact or rename what is in them. */
export function eventLog(logger: EventLogger): EventLog {
  return {
    requestEnded({ method, url, sid, status, error, durationMs }) {
      const ms = durationMs === undefined ? undefined : toMs(durationMs);
      logger.info({ method, url, sid, status, error, ms }, 'request');
    },
    callEnded({ callId, tool, startedAt, settledAt }, outcome, session) {
      const ms = toMs(settledAt - startedAt);
      if (session === undefined) return logger.info({ callId, tool, ms, outcome }, 'call');
      const { sid, environmentName: environment } = session;
      logger.info({ sid, environment, taskId: callId, tool, ms, outcome }, 'call');
    },
    sessionEnded({ sid, environmentName: environment, startedAt, callCount: calls }, outcome) {
      logger.info({ sid, environment, outcome, calls, ms: toMs(performance.now() - startedAt) }, 'session ended');
    },
  };
}

// Microseconds are enough, and short.
function toMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
