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
  if (wire.status !== 200)
    return attempt === 'first' ? refused(`${wire.status} ${wire.body}`) : unknown(`${wire.status} ${wire.body}`);
  const events = readEvents(wire.body);
  const error = events.find(({ event }) => event === 'error')?.data;
  if (error !== undefined) return / broke$/.test(error) ? { kind: 'broke' } : unknown(error);
  const result = toResult(events);
  if (result === undefined) return unknown('no end of the stream');
  if (!result.ok) return toFailure(result.reason ?? '', result.error ?? '');
  const { blocks, reward = null, finished = false } = result.output;
  const text = (blocks as { text: string }[]).map((block) => block.text).join('');
  return { kind: 'scored', scored: { text: brief(text), reward, finished } };
}

/** What a call's answer over OXP says. */
export function toOxpAnswer(wire: WireAnswer | undefined, attempt: Attempt): Answer {
  if (wire === undefined || !wire.isWhole) return unknown('no whole answer');
  if (wire.status !== 200) {
    const why = `${wire.status} ${wire.body}`;
    return attempt === 'first' || NO_SUCH_TOOL.test(why) ? refused(why) : unknown(why);
  }
  const { success, value } = (JSON.parse(wire.body) as { result: { success: boolean; value: string } }).result;
  return success ? toScoredText(value) : { kind: 'broke' };
}

/** The answer of a tool that gives text and no reward. */
export function toScoredText(text: string): Answer {
  return { kind: 'scored', scored: { text: brief(text), reward: null, finished: false } };
}

/** What an error of our own client says; undefined if it is none that a caller should ever see. */
export function toThrownAnswer(error: unknown): Answer | undefined {
  if (error instanceof ToolCallError) return toFailure(error.reason, error.message);
  if (error instanceof OxpValidationError) return refused(error.message);
  if (error instanceof OxpServerError && NO_SUCH_TOOL.test(error.message)) return refused(error.message);
  if (error instanceof OxpToolError) return { kind: 'broke' };
  if (error instanceof ToolFailed && / broke$/.test(error.message)) return { kind: 'broke' };
  return error instanceof ClientError ? unknown(`${error.name}: ${error.message}`) : undefined;
}

function toFailure(reason: string, why: string): Answer {
  return reason === 'tool_error' || reason === 'timeout' ? { kind: 'broke' } : refused(`${reason}: ${why}`);
}

function refused(why: string): Answer {
  return { kind: 'refused', why: why.slice(0, 200) };
}

function unknown(why: string): Answer {
  return { kind: 'unknown', why: why.slice(0, 200) };
}
