import { type CallOutcome, outcomeOfCode } from '../protocol/index.ts';
import type { ErrorCode } from './errors.ts';

/** How a call ended that has an error instead of a result: what is not the environment's or the session's is the request's. */
export function toOutcome({ code }: { readonly code: ErrorCode }): Exclude<CallOutcome, 'returned'> {
  return outcomeOfCode(code) ?? 'tool_error';
}
