import type { Outcome } from 'tiltyard';
import {
  ClientError,
  OxpServerError,
  OxpToolError,
  OxpValidationError,
  ToolCallError,
  ToolFailed,
} from 'tiltyard/client';
import { readEvents, toResult } from '../../test/support/sse.ts';
import { type Answer, brief } from './events.ts';
import type { WireAnswer } from './wire.ts';

/** Whether nobody can have sent this call before, so that an error status says that it did not run. */
export type Attempt = 'first' | 'repeat';

const NO_SUCH_TOOL = /Tool '\w+' was not found/;

/** What a call's answer on the wire says. */
export function toAnswer(wire: WireAnswer | undefined, attempt: Attempt): Answer {
  if (wire === undefined || !wire.isWhole) return unknown('no whole answer');
  const { status, body } = wire;
  if (status !== 200) {
    const why = `${status} ${body}`;
    if (attempt === 'first') return refused(why, outcomeOfCode(body));
    // That the session is over says nothing of a call that was sent before.
    return unknown(why, status === 410 ? undefined : outcomeOfCode(body));
  }
  const events = readEvents(body);
  const error = events.find(({ event }) => event === 'error')?.data;
  if (error !== undefined) return toError(error, body);
  const result = toResult(events);
  if (result === undefined) return unknown('no end of the stream');
  if (!result.ok) return toFailure(result.reason ?? '', result.error ?? '');
  const { blocks, reward = null, finished = false } = result.output;
  const text = (blocks as { text: string }[]).map((block) => block.text).join('');
  return { kind: 'scored', scored: { text: brief(text), reward, finished }, outcome: 'returned' };
}

/** What a call's answer over OXP says. */
export function toOxpAnswer(wire: WireAnswer | undefined, attempt: Attempt): Answer {
  if (wire === undefined || !wire.isWhole) return unknown('no whole answer');
  const outcome = wire.outcome as Outcome | undefined;
  if (wire.status !== 200) {
    const why = `${wire.status} ${wire.body}`;
    return attempt === 'first' || NO_SUCH_TOOL.test(why) ? refused(why, outcome) : unknown(why, outcome);
  }
  const { success, value } = (JSON.parse(wire.body) as { result: { success: boolean; value: string } }).result;
  return success ? toScoredText(value) : { kind: 'broke', outcome: outcome ?? 'tool_error' };
}

/** The answer of a tool that gives text and no reward. */
export function toScoredText(text: string): Answer {
  return { kind: 'scored', scored: { text: brief(text), reward: null, finished: false }, outcome: 'returned' };
}

/** What an error of our own client says; undefined if it is none that a caller should ever see. */
export function toThrownAnswer(error: unknown): Answer | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const { outcome } = error;
  if (error instanceof ToolCallError) return { ...toFailure(error.reason, error.message), outcome };
  if (error instanceof OxpValidationError) return refused(error.message, outcome);
  if (error instanceof OxpServerError && NO_SUCH_TOOL.test(error.message)) return refused(error.message, outcome);
  if (error instanceof OxpToolError) return { kind: 'broke', outcome };
  if (error instanceof ToolFailed && / broke$/.test(error.message)) return { kind: 'broke', outcome };
  return unknown(`${error.name}: ${error.message}`, outcome);
}

// Said here once more, as the documents have it: the model must not believe the client's own table.
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['setup_failed', 'env_error'],
  ['environment_failed', 'env_error'],
  ['session_gone', 'cancelled'],
  ['session_expired', 'expired'],
  ['unknown_tool', 'tool_error'],
  ['invalid_input', 'tool_error'],
]);

function outcomeOfCode(body: string): Outcome | undefined {
  return OUTCOMES.get(/"code":"(\w+)"/.exec(body)?.[1] ?? '');
}

/** The end of a stream that has no result; what it means stands in a comment. */
function toError(message: string, body: string): Answer {
  // Its result is no longer kept.
  if (message === 'unknown task_id') return unknown(message);
  const outcome = (/^: outcome (\w+)$/m.exec(body)?.[1] ?? 'env_error') as Outcome;
  return / broke$/.test(message) ? { kind: 'broke', outcome } : unknown(message, outcome);
}

function toFailure(reason: string, why: string): Answer {
  if (reason === 'tool_error' || reason === 'timeout') return { kind: 'broke', outcome: reason };
  return refused(`${reason}: ${why}`, 'tool_error');
}

function refused(why: string, outcome?: Outcome): Answer {
  return { kind: 'refused', why: why.slice(0, 200), outcome };
}

function unknown(why: string, outcome?: Outcome): Answer {
  return { kind: 'unknown', why: why.slice(0, 200), outcome };
}
