import { TiltyardError } from '../core/index.ts';
import type { SessionEnd } from './episode/outcome.ts';

const TOLD: Record<SessionEnd, string> = {
  deleted: 'was deleted',
  expired: 'has expired',
  stopped: 'ended because the server is stopping',
};

/** How a session ended, in words that go on after its name. */
export function howItEnded(end: SessionEnd): string {
  return TOLD[end];
}

/** The error of a session that is no longer there. */
export function sessionGone(sid: string, end: SessionEnd): TiltyardError {
  const code = end === 'expired' ? 'session_expired' : 'session_gone';
  return new TiltyardError(code, `session '${sid}' ${TOLD[end]}. Create a new one`);
}

/** The error of a session that comes when the server goes. */
export function stopping(): TiltyardError {
  return new TiltyardError('shutting_down', 'the server is stopping and takes no new sessions');
}
