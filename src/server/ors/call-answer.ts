import { type CallOutcome, type ErrorCode, type Failure, toOutcome } from '../../core/index.ts';
import { type FailureReason, type RunToolResult, withoutLineBreaks } from '../../protocol/index.ts';
import { type CallEnding, toModelText } from '../../sessions/index.ts';
import { type ReturnErrors, toDetail } from '../http/errors.ts';

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

// Refusals that a model should read; the others mean that the session itself is of no use.
const REASONS: Partial<Record<ErrorCode, FailureReason>> = {
  unknown_tool: 'not_found',
  invalid_input: 'input_validation',
  episode_finished: 'episode_finished',
};

// Ends of a call that are not its tool's failure, and have no outcome of their own.
const TOLD_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['outcome_unknown', 'session_lost']);

/** Turns the end of a call that did not return into what is written for it. */
export function toCallAnswer(
  ending: Exclude<CallEnding, { kind: 'returned' }>,
  { envelope, streaming, returnErrors }: AnswerOptions,
): CallAnswer {
  const { failure } = ending;
  if (ending.kind === 'failed') {
    const { outcome } = ending;
    if (failure.code === 'tool_failed' && (outcome === 'tool_error' || outcome === 'timeout'))
      return toEnd(toModelText(failure, outcome), outcome);
    const code = TOLD_CODES.has(failure.code) ? failure.code : undefined;
    return { kind: 'error', message: toDetail(failure, returnErrors), outcome, code, alone: false };
  }
  // A client that asks for an id nobody knows gets no `task_id` event: there is nothing to come back for.
  if (failure.code === 'unknown_task_id')
    return { kind: 'error', message: failure.message, outcome: undefined, alone: true };
  const reason = REASONS[failure.code];
  const inStream = streaming || envelope || failure.code === 'episode_finished';
  if (reason !== undefined && inStream) return toEnd(failure.message, reason);
  if (!streaming) return { kind: 'status', failure };
  return { kind: 'error', message: toDetail(failure, returnErrors), outcome: toOutcome(failure), alone: false };
}

function toEnd(error: string, reason: FailureReason): CallAnswer {
  const result: RunToolResult = { ok: false, error, reason };
  return { kind: 'end', json: withoutLineBreaks(JSON.stringify(result)) };
}
