import { isObject } from '../protocol/index.ts';
import { NetworkError } from './errors.ts';

// These happen before a byte is sent.
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What fetch threw, as an error that says whether the request may have arrived. */
export function toNetworkError(thrown: unknown, context: { sid?: string | undefined; heldMs?: number }): NetworkError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = isObject(cause) && typeof cause.code === 'string' ? cause.code : undefined;
  const message = cause instanceof Error ? cause.message || code : String(cause);
  const unsent = code !== undefined && UNSENT.has(code);
  return new NetworkError(`the connection failed: ${message}`, { ...context, code, unsent, cause: thrown });
}
