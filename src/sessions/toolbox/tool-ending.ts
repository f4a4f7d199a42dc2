import {
  type Checked,
  type CompiledTool,
  isContent,
  quoteText,
  type Thrown,
  type ToolEnding,
  toError,
} from '../../core/index.ts';
import { mostBytes } from '../../protocol/index.ts';
import { type CallEnding, type RunEnding, refused } from '../call-ending.ts';
import type { FailedEnding } from '../tool-failure.ts';

/** The end of a tool by a mistake in its code. */
export type Crashed = Extract<ToolEnding, { kind: 'crashed' }>;

/**
 * What a tool returned, as JSON, or a crash if it cannot be written. At once, because it may change before it is asked for
 * again.
 */
export function toReturned(
  value: unknown,
  { name, maxOutputBytes }: CompiledTool,
): Extract<CallEnding, { kind: 'returned' }> | Crashed {
  try {
    const json = typeof value === 'string' ? quoteText(value) : JSON.stringify(value ?? null);
    if (json === undefined) return crashed(new TypeError(`a tool must return a JSON value, not a ${typeof value}`));
    if (!isLonger(json, maxOutputBytes) || wasCut(value)) return { kind: 'returned', json };
    const problem = `tool '${name}' returned more than ${maxOutputBytes} bytes of JSON. Return less, or raise maxOutputBytes`;
    return crashed(new RangeError(problem));
  } catch (thrown) {
    return crashed(thrown);
  }
}

export function crashed(thrown: unknown): Crashed {
  return { kind: 'crashed', error: toError(thrown) };
}

/** The ending of a call whose tool crashed, or had to be left behind: its caller is not told how. */
export function toCrashedEnding(outcome: 'env_error' | 'cancelled', thrown: Thrown): FailedEnding {
  const message = 'The tool failed unexpectedly';
  return { kind: 'failed', outcome, failure: { code: 'environment_failed', message, thrown } };
}

/** The ending of a call whose input its tool does not take. */
export function refusedInput({ problems }: Extract<Checked, { ok: false }>): RunEnding {
  return refused({ code: 'invalid_input', message: 'the tool does not take this input' }, problems);
}

// Counting bytes costs more than counting characters.
function isLonger(text: string, bytes: number): boolean {
  return mostBytes(text) > bytes && Buffer.byteLength(text) > bytes;
}

// Text and content were cut before, where they were too long; half of any other value would be another value.
function wasCut(value: unknown): boolean {
  return typeof value === 'string' || isContent(value);
}
