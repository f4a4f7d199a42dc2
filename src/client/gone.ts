import { HttpError, SessionTerminated } from './errors.ts';

// The code of a session that has ended.
const SESSION_GONE = 'session_gone';

/** Whether the server says that it no longer has the session: 410, its words for it, or a 404 that speaks of nothing else. */
export function isGone(error: unknown): boolean {
  if (error instanceof HttpError && error.status === 404) {
    // This server's code, or the official servers' words.
    return error.code === 'session_not_found' || /active environment not found|session not found/i.test(error.detail);
  }
  return error instanceof SessionTerminated && (error.status === 410 || error.code === SESSION_GONE);
}
