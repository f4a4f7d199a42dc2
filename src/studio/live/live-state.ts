import type { WatchedCall, WatchedSession } from '../../protocol/index.ts';
import type { LiveSession, LiveSnapshot, LiveStep } from '../api.ts';

/** What a status of GET /events says of a server. */
export function statusOf(status: number): LiveSnapshot['status'] {
  if (status === 401 || status === 403) return 'forbidden';
  // Too many listen already, or it is stopping: later, perhaps.
  return status === 429 || status >= 500 ? 'lost' : 'off';
}

/** A session in the words of the page. */
export function toLiveSession({ started_at, last_tool, last_at, ...session }: WatchedSession): LiveSession {
  return { ...session, startedAt: started_at, lastTool: last_tool, lastAt: last_at };
}

/** A call in the words of the page, beside what is known of it already. */
export function toLiveStep(
  { id, tool, ms, outcome, reward, finished }: WatchedCall,
  at: number,
  known?: LiveStep,
): LiveStep {
  // Of one that began before anybody listened, only the end is known.
  const startedAt = known?.startedAt ?? at - (ms ?? 0);
  return { ...known, id, tool, startedAt, ms, outcome, reward, finished };
}
