import {
  type CompiledTool,
  isBlock,
  type Outcome,
  type Problem,
  type ReportedFailure,
  redact,
  type Thrown,
  type ToolEnding,
  toError,
  toThrown,
} from '../../core/index.ts';
import { mostBytes } from '../../protocol/index.ts';
import type { ToolboxRequest } from './call.ts';
import { hiddenIn } from './log.ts';

/** How a call ended: refused before it ran, with a value, or with an error. Plain text all of it, to be kept. */
export type ToolboxEnding =
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'returned'; readonly json: string; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly failure: ToolFailure;
      readonly durationMs: number;
      readonly outcome: Exclude<Outcome, 'scored' | 'expired'>;
    };

/** The same in one word. */
export function outcomeOf(ending: ToolboxEnding): Outcome {
  if (ending.kind === 'returned') return 'scored';
  return ending.kind === 'refused' ? 'tool_error' : ending.outcome;
}

/** Why a tool failed, without the caller's secrets. */
export interface ToolFailure {
  readonly message: string;
  readonly developerMessage?: string | undefined;
  readonly canRetry?: boolean | undefined;
  readonly promptContent?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What the tool threw without meaning to; whether callers see it is the server's choice. */
  readonly thrown?: Thrown;
}

/** About how much memory a failure takes. */
export function bytesOf({ message, developerMessage = '', promptContent = '', thrown }: ToolFailure): number {
  const own = message.length + developerMessage.length + promptContent.length;
  return thrown === undefined ? own : own + thrown.message.length + thrown.stack.length;
}

/**
 * The same ending with the value as JSON, or a crash if it cannot be written. At once, because what a tool returned
 * may change before it is asked for again.
 */
export function toWritten(ending: ToolEnding, { name, maxOutputBytes }: CompiledTool): WrittenEnding {
  if (ending.kind !== 'returned') return ending;
  try {
    const value = JSON.stringify(ending.value ?? null);
    if (value === undefined)
      return toCrashed(new TypeError(`a tool must return a JSON value, not a ${typeof ending.value}`));
    if (!isLonger(value, maxOutputBytes) || wasCut(ending.value)) return { kind: 'returned', value };
    const problem = `tool '${name}' returned more than ${maxOutputBytes} bytes of JSON. Return less, or raise maxOutputBytes`;
    return toCrashed(new RangeError(problem));
  } catch (thrown) {
    return toCrashed(thrown);
  }
}

// Counting bytes costs more than counting characters.
function isLonger(text: string, bytes: number): boolean {
  return mostBytes(text) > bytes && Buffer.byteLength(text) > bytes;
}

// Text and content were cut before, where they were too long; half of any other value would be another value.
function wasCut(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isBlock));
}

type WrittenEnding = Exclude<ToolEnding, { kind: 'returned' }> | { kind: 'returned'; value: string };

/** How a tool ended that threw this. */
export function toCrashed(thrown: unknown): Extract<ToolEnding, { kind: 'crashed' }> {
  return { kind: 'crashed', error: toError(thrown) };
}

/** How a tool ended, as it is kept and sent. */
export function toToolboxEnding(
  ending: WrittenEnding,
  request: ToolboxRequest,
  { durationMs, aborted }: { durationMs: number; aborted: boolean },
): ToolboxEnding {
  if (ending.kind === 'returned') return { kind: 'returned', json: ending.value, durationMs };
  const failure = toFailure(ending, request);
  // Whatever an aborted tool throws, the reason is that nobody waits for it any more. Its time limit aborts it as well.
  if (ending.kind !== 'timed_out' && aborted) return { kind: 'failed', failure, durationMs, outcome: 'cancelled' };
  return { kind: 'failed', failure, durationMs, outcome: OUTCOME_OF_KIND[ending.kind] };
}

const OUTCOME_OF_KIND = { failed: 'tool_error', timed_out: 'timeout', crashed: 'env_error' } as const;

function toFailure(ending: Exclude<ToolEnding, { kind: 'returned' }>, request: ToolboxRequest): ToolFailure {
  switch (ending.kind) {
    case 'failed':
      return toReported(ending.failure, request);
    case 'timed_out':
      return { message: `The tool took longer than ${ending.timeoutMs} ms`, canRetry: request.tool.canRetry };
    case 'crashed': {
      const hidden = hiddenIn(request);
      const thrown = toThrown(ending.error, (text) => redact(text, hidden));
      return { message: 'The tool failed unexpectedly', thrown };
    }
  }
}

function toReported(failure: ReportedFailure, request: ToolboxRequest): ToolFailure {
  const hidden = hiddenIn(request);
  const clean = (text: string | undefined) => (text === undefined ? undefined : redact(text, hidden));
  const { message, developerMessage, canRetry, promptContent, retryAfterMs } = failure;
  return {
    message: redact(message, hidden),
    developerMessage: clean(developerMessage),
    canRetry,
    promptContent: clean(promptContent),
    retryAfterMs,
  };
}
