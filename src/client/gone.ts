import type { ErrorCode } from '../core/index.ts';
import { HttpError, SessionTerminated } from './errors.ts';

/** Whether the server says that it no longer has the session: 410, or a 404 that speaks of nothing else. */
export function isGone(error: unknown): boolean {
  return toTerminated(error) !== undefined;
}

/** The same as the error that tells of the session's end, in the server's words. */
export function toTerminated(error: unknown): SessionTerminated | undefined {
  if (error instanceof SessionTerminated) return error.status === 410 || error.status === 404 ? error : undefined;
  if (!isUnknownSession(error)) return undefined;
  const { status, code, sid, detail } = error;
  return new SessionTerminated(`the session is over: ${detail}`, { sid, status, code, cause: error });
}

const SESSION_NOT_FOUND: ErrorCode = 'session_not_found';

function isUnknownSession(error: unknown): error is HttpError {
  if (!(error instanceof HttpError) || error.status !== 404) return false;
  const { code, detail } = error;
  // The official servers have words for it; beside a code, words may be an author's.
  return code === undefined
    ? /active environment not found|session not found/i.test(detail)
    : code === SESSION_NOT_FOUND;
}
