import { type EpisodeLog, type ReportedFailure, redact, type Secrets, type ToolEnding } from '../core/index.ts';
import type { CallEnding, CallFailure, RunEnding } from './call-ending.ts';

/** Of a tool that said why it failed, or took too long: neither is a mistake in its code. */
export type ToolFailing = Extract<ToolEnding, { kind: 'failed' | 'timed_out' }>;

/** How a call ended whose tool failed. */
export type FailedEnding = Extract<CallEnding, { kind: 'failed' }>;

/** Writes into the log that a tool has failed or took too long, and makes data of it; `secrets` are in neither. */
export function toFailedEnding(ending: ToolFailing, tool: string, log: EpisodeLog, secrets: Secrets): FailedEnding {
  if (ending.kind === 'timed_out') {
    const message = tookTooLong(ending.timeoutMs);
    log.warn(`tool '${tool}' ${message}`);
    return { kind: 'failed', outcome: 'timeout', failure: { code: 'tool_failed', tool, message } };
  }
  log.info(`tool '${tool}' reported a failure`, { error: ending.failure });
  return { kind: 'failed', outcome: 'tool_error', failure: toCallFailure(tool, ending.failure, secrets) };
}

/** Whatever an aborted tool throws, the reason is that nobody waits for it any more. */
export function asAborted(ending: RunEnding): RunEnding {
  return ending.kind === 'failed' && ending.outcome !== 'timeout' ? { ...ending, outcome: 'cancelled' } : ending;
}

/** In words that go on after the tool's name. */
export function tookTooLong(timeoutMs: number): string {
  return `took longer than ${timeoutMs} ms`;
}

/** What a tool said with a ToolError, as data. */
function toCallFailure(tool: string, reported: ReportedFailure, secrets: Secrets): CallFailure {
  const { message, developerMessage, canRetry, promptContent, retryAfterMs } = reported;
  return {
    code: 'tool_failed',
    tool,
    message: redact(message, secrets),
    developerMessage: developerMessage && redact(developerMessage, secrets),
    canRetry,
    promptContent: promptContent && redact(promptContent, secrets),
    retryAfterMs,
  };
}
