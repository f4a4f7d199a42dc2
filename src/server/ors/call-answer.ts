import { type ErrorCode, type Outcome, type TiltyardError, toOutcome } from '../../core/index.ts';
import type { FailureReason, RunToolResult } from '../../protocol/index.ts';
import type { CallEnding } from '../../sessions/index.ts';
import { type ReturnErrors, toDetail } from '../http/errors.ts';

/** How refused calls are told: by HTTP status, inside the event stream, or as the client can take it. */
export type ToolErrors = 'auto' | 'http' | 'envelope';

/** What to write for a call that has ended. */
export type CallAnswer =
  | { readonly kind: 'end'; readonly json: string }
  | { readonly kind: 'error'; readonly message: string; readonly outcome: Outcome | undefined; readonly alone: boolean }
  | { readonly kind: 'status'; readonly error: TiltyardError };

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

/** Turns the end of a call into what is written for it. */
export function toCallAnswer(ending: CallEnding, { envelope, streaming, returnErrors }: AnswerOptions): CallAnswer {
  if (ending.kind === 'result') return { kind: 'end', json: ending.json };
  const { error } = ending;
  if (ending.kind === 'error') return toErrorAnswer(error, returnErrors);
  const reason = REASONS[error.code];
  const inStream = streaming || envelope || error.code === 'episode_finished';
  if (reason !== undefined && inStream) {
    return { kind: 'end', json: JSON.stringify({ ok: false, error: error.message, reason } satisfies RunToolResult) };
  }
  return streaming ? toErrorAnswer(error, returnErrors) : { kind: 'status', error };
}

function toErrorAnswer(error: TiltyardError, returnErrors: ReturnErrors): CallAnswer {
  // A client that asks for an id nobody knows gets no `task_id` event: there is nothing to come back for.
  const alone = error.code === 'unknown_task_id';
  const outcome = alone ? undefined : toOutcome(error);
  return { kind: 'error', message: toDetail(error, returnErrors), outcome, alone };
}
