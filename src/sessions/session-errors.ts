import { TiltyardError } from '../core/index.ts';
import type { SessionEnd } from './episode/outcome.ts';
import type { Absence } from './host.ts';

const TOLD: Record<SessionEnd, string> = {
  deleted: 'was deleted',
  expired: 'has expired',
  stopped: 'ended because the server is stopping',
  lost: 'was lost',
};

const CODES: Record<SessionEnd, Absence['code']> = {
  deleted: 'session_gone',
  expired: 'session_expired',
  stopped: 'session_gone',
  lost: 'session_lost',
};

/** How a session ended, in words that go on after its name. */
export function howItEnded(end: SessionEnd): string {
  return TOLD[end];
}

/** Why there is no such session: `end` is what ended it, if that is known. */
export function absenceOf(sid: string, end: SessionEnd | undefined, why?: string): Absence {
  if (end === undefined)
    return { code: 'session_not_found', message: `no session '${sid}'. Start one with POST /create` };
  return {
    code: CODES[end],
    message: `session '${sid}' ${TOLD[end]}${why === undefined ? '' : `: ${why}`}. Create a new one`,
  };
}

/** The same as an error. */
export function sessionAbsent(sid: string, end: SessionEnd | undefined, why?: string): TiltyardError {
  const { code, message } = absenceOf(sid, end, why);
  return new TiltyardError(code, message);
}

/** Why nothing can be asked of a session that goes on when the server has started again. */
export function suspensionOf(sid: string): Absence {
  const message = `the server is stopping, and session '${sid}' goes on when it has started again. Try again later`;
  return { code: 'shutting_down', message };
}

/** The error of a session that comes when the server goes. */
export function stopping(): TiltyardError {
  return new TiltyardError('shutting_down', 'the server is stopping and accepts no new sessions');
}
