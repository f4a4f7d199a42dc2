import { HttpError, SessionTerminated } from './errors.ts';

/** Whether the server says that it no longer has the session: 410, or a 404 that speaks of nothing else. */
export function isGone(error: unknown): boolean {
  if (error instanceof HttpError && error.status === 404) {
    // This server's code, or the official servers' words.
    return error.code === 'session_not_found' || /active environment not found|session not found/i.test(error.detail);
  }
  return error instanceof SessionTerminated && error.status === 410;
}
