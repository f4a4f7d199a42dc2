import type { ErrorCode } from '../../core/index.ts';
import type { FailureReason } from '../../protocol/index.ts';
import { type CallEnding, toModelText } from '../../sessions/index.ts';
import { type ReturnErrors, toDetail } from '../http/errors.ts';

/** How a call ended that did not return. */
export type FailedEnding = Exclude<CallEnding, { kind: 'returned' }>;

/** What clients are told of such a call, whatever brings it to them. */
export interface FailureWords {
  readonly message: string;
  /** For failures that a model should read; undefined where the session itself is of no use, or the environment failed. */
  readonly reason: FailureReason | undefined;
}

// Refusals that a model should read.
const REASONS: Partial<Record<ErrorCode, FailureReason>> = {
  unknown_tool: 'not_found',
  invalid_input: 'input_validation',
  episode_finished: 'episode_finished',
};

/** Puts the end of a call that did not return into words. */
export function failureWords(ending: FailedEnding, returnErrors: ReturnErrors): FailureWords {
  const { failure } = ending;
  const reason = reasonOf(ending);
  if (reason === undefined) return { message: toDetail(failure, returnErrors), reason };
  return { message: ending.kind === 'failed' ? toModelText(failure, ending.outcome) : failure.message, reason };
}

function reasonOf(ending: FailedEnding): FailureReason | undefined {
  const { code } = ending.failure;
  if (ending.kind === 'refused') return REASONS[code];
  const { outcome } = ending;
  return code === 'tool_failed' && (outcome === 'tool_error' || outcome === 'timeout') ? outcome : undefined;
}
