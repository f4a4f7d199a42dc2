import type { ErrorCode } from '../core/index.ts';
import { HttpError, SessionTerminated } from './errors.ts';

const SESSION_NOT_FOUND: ErrorCode = 'session_not_found';

/** Whether the server says that it no longer has the session: 410, or a 404 that speaks of nothing else. */
export function isGone(error: unknown): boolean {
  if (!(error instanceof HttpError)) return error instanceof SessionTerminated && error.status === 410;
  const { status, code, detail } = error;
  if (status !== 404) return false;
  // The official servers have words for it; beside a code, words may be an author's.
  return code === undefined
    ? /active environment not found|session not found/i.test(detail)
    : code === SESSION_NOT_FOUND;
}
