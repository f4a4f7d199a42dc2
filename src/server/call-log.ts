import type { Observer } from '../sessions/index.ts';
import type { WriteLine } from './log-lines.ts';

/** Writes a line for each call and for each session that ended. Inputs and results are not in it: they may hold secrets. */
export function callLog(write: WriteLine): Partial<Observer> {
  return {
    callEnded({ callId, tool, startedAt, settledAt }, outcome, session) {
      const ms = toMs(settledAt - startedAt);
      if (session === undefined) return write({ callId, tool, ms, outcome }, 'call');
      const { sid, environmentName: environment } = session;
      write({ sid, taskId: callId, environment, tool, ms, outcome }, 'call');
    },
    sessionEnded({ sid, environmentName: environment, startedAt, callCount: calls }, outcome) {
      write({ sid, environment, outcome, calls, ms: toMs(performance.now() - startedAt) }, 'session ended');
    },
  };
}

// Microseconds are enough, and short.
function toMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
