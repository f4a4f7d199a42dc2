import type { CallOutcome, ErrorCode, Failure } from '../../core/index.ts';
import { type FailureReason, type RunToolResult, withoutLineBreaks } from '../../protocol/index.ts';
import { outcomeOf } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { type FailedEnding, failureWords } from './failure-words.ts';

/** How refused calls are told: by HTTP status, inside the event stream, or as the client can take it. */
export type ToolErrors = 'auto' | 'http' | 'envelope';

/** What to write for a call that has ended. */
export type CallAnswer =
  | { readonly kind: 'end'; readonly json: string }
  | {
      readonly kind: 'error';
      readonly message: string;
      readonly outcome: CallOutcome | undefined;
      /** Told where a client has to act on it. */
      readonly code?: ErrorCode | undefined;
      readonly alone: boolean;
    }
  | { readonly kind: 'status'; readonly failure: Failure };

/** How this answer may be given. */
export interface AnswerOptions {
  /** Whether refused calls go into the stream; they must once the stream has begun. */
  readonly envelope: boolean;
  readonly streaming: boolean;
  readonly returnErrors: ReturnErrors;
}

// Ends of a call that are not its tool's failure, and have no outcome of their own.
const TOLD_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['outcome_unknown', 'session_lost']);

/** Turns the end of a call that did not return into what is written for it. */
export function toCallAnswer(ending: FailedEnding, { envelope, streaming, returnErrors }: AnswerOptions): CallAnswer {
  const { kind, failure } = ending;
  const { code } = failure;
  const { message, reason } = failureWords(ending, returnErrors);
  // A client that asks for an id nobody knows gets no `task_id` event: there is nothing to come back for.
  const alone = code === 'unknown_task_id';
  const isForModel = reason !== undefined && (envelope || code === 'episode_finished');
  if (kind === 'refused' && !(streaming || alone || isForModel)) return { kind: 'status', failure };
  if (reason !== undefined) return toEnd(message, reason);
  const outcome = alone ? undefined : outcomeOf(ending);
  return { kind: 'error', message, outcome, code: kind === 'failed' && TOLD_CODES.has(code) ? code : undefined, alone };
}

function toEnd(error: string, reason: FailureReason): CallAnswer {
  const result: RunToolResult = { ok: false, error, reason };
  return { kind: 'end', json: withoutLineBreaks(JSON.stringify(result)) };
}
