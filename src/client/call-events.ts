import type { ErrorCode } from '../core/index.ts';
import { codeIn, cutText, type Outcome, outcomeIn, type RunToolResult } from '../protocol/index.ts';
import { readResult } from './call-result.ts';
import { type ClientError, type ErrorContext, OutcomeUnknown, SessionTerminated, ToolFailed } from './errors.ts';
import type { StreamEvent } from './event-stream.ts';

/** What is known of a call so far. */
export interface CallProgress {
  /** The id under which the server knows the call, once there is one: from then on every repeat is safe. */
  taskId: string | undefined;
  /** Whether it may have run without our having heard how it ended. */
  isLost: boolean;
  /** Where it was sent first. */
  instance: string | undefined;
}

/** Hears the answer to a call. */
export interface CallEvents {
  readonly onComment: (comment: string) => void;
  /** Returns the result with the event that completes it; throws if the call failed. */
  readonly onEvent: (event: StreamEvent) => RunToolResult | undefined;
}

/** For one attempt alone: what a broken stream has left is not part of the next one. */
export function callEvents(sid: string, progress: CallProgress): CallEvents {
  const parts: string[] = [];
  let outcome: Outcome | undefined;
  let code: string | undefined;
  return {
    onComment(comment) {
      outcome = outcomeIn(comment) ?? outcome;
      code = codeIn(comment) ?? code;
    },
    onEvent({ event, data }) {
      if (event === 'task_id') progress.taskId = data.trim() || progress.taskId;
      else if (event === 'chunk' || event === 'end') parts.push(data);
      const { taskId } = progress;
      if (event === 'end') return readResult(parts.join(''), { sid, taskId });
      if (event !== 'error') return undefined;
      progress.isLost = false;
      throw toFailure(cutText(data, MAX_MESSAGE, ' [cut]'), { sid, taskId, outcome, code });
    },
  };
}

// As much as a server of ours sends, and more than anybody reads.
const MAX_MESSAGE = 64 * 1024;

function toFailure(message: string, { code: told, outcome = 'env_error', ...known }: ErrorContext): ClientError {
  const context = { ...known, outcome };
  if (told === OUTCOME_UNKNOWN) return new OutcomeUnknown(message, { ...context, code: told });
  // The session ended while the call ran: the next call would hear it by status.
  const code = outcome === 'cancelled' || outcome === 'expired' ? SESSION_CODES[outcome] : told;
  if (code !== undefined && SESSION_ENDS.has(code))
    return new SessionTerminated(`the session is over: ${message}`, { ...context, status: 410, code });
  return new ToolFailed(message || 'the tool failed without a message', context);
}

const OUTCOME_UNKNOWN: ErrorCode = 'outcome_unknown';
const SESSION_CODES = { cancelled: 'session_gone', expired: 'session_expired' } as const;
const SESSION_ENDS: ReadonlySet<string> = new Set<ErrorCode>(['session_gone', 'session_expired', 'session_lost']);
