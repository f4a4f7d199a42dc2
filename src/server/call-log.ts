import type { Log } from '../core/index.ts';
import type { Observer } from '../sessions/index.ts';

/** Writes a line for each call and for each session that ended. Inputs and results are not in it: they may hold secrets. */
export function callLog(log: Log): Partial<Observer> {
  return {
    callEnded({ callId, tool, startedAt, settledAt }, outcome, session) {
      const ms = toMs(settledAt - startedAt);
      if (session === undefined) return log.info({ callId, tool, ms, outcome }, 'call');
      const { sid, environmentName: environment } = session;
      log.info({ sid, taskId: callId, environment, tool, ms, outcome }, 'call');
    },
    sessionEnded({ sid, environmentName: environment, startedAt, callCount: calls }, outcome) {
      log.info({ sid, environment, outcome, calls, ms: toMs(performance.now() - startedAt) }, 'session ended');
    },
  };
}

// Microseconds are enough, and short.
function toMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
