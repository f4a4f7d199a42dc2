import { type CatalogTool, isStep, redact, type Secrets, type ToolOutcome, toToolOutput } from '../core/index.ts';
import { type CallToolResult, type JsonValue, OXP_SCHEMA, type WireToolError } from '../protocol/index.ts';
import type { ReturnErrors } from './errors.ts';

/** One run of a tool, and what is needed to tell of it. */
export interface OxpRun {
  readonly callId: string;
  readonly durationMs: number;
  readonly outcome: ToolOutcome;
  readonly tool: CatalogTool;
  readonly secrets: Secrets;
  readonly returnErrors: ReturnErrors;
}

/** The result of a run as the body that is sent: with a value or with an error. */
export function toResultJson(run: OxpRun): string {
  const { callId, durationMs, outcome } = run;
  const head = { call_id: callId, duration: Math.round(durationMs) };
  if (outcome.kind === 'returned') {
    try {
      return toBody({ ...head, success: true, value: toValue(outcome.value) });
    } catch (thrown) {
      // What the tool returned cannot travel.
      return toBody({ ...head, success: false, error: toWireError(run, { kind: 'crashed', error: thrown as Error }) });
    }
  }
  return toBody({ ...head, success: false, error: toWireError(run, outcome) });
}

function toBody(result: CallToolResult): string {
  return JSON.stringify({ $schema: OXP_SCHEMA, result });
}

function toWireError(
  { tool, secrets, returnErrors }: OxpRun,
  outcome: Exclude<ToolOutcome, { kind: 'returned' }>,
): WireToolError {
  const clean = (text: string) => redact(text, secrets);
  switch (outcome.kind) {
    case 'failed': {
      const { message, developerMessage, canRetry, promptContent, retryAfterMs } = outcome.error;
      return {
        message: clean(message),
        ...(developerMessage === undefined ? {} : { developer_message: clean(developerMessage) }),
        ...(canRetry === undefined ? {} : { can_retry: canRetry }),
        ...(promptContent === undefined ? {} : { additional_prompt_content: clean(promptContent) }),
        ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.round(retryAfterMs) }),
      };
    }
    case 'timed_out':
      return { message: `The tool took longer than ${outcome.timeoutMs} ms`, can_retry: tool.canRetry };
    case 'crashed': {
      const { name, message, stack = '' } = outcome.error;
      const revealed = returnErrors === 'stacktrace' ? stack : `${name}: ${message}`;
      return {
        message: 'The tool failed unexpectedly',
        ...(returnErrors === 'none' ? {} : { developer_message: clean(revealed) }),
      };
    }
  }
}

/** What a tool returned, as a value: content for an agent becomes its text, or its blocks where there are pictures. */
function toValue(value: unknown): JsonValue {
  if (isStep(value)) return toContentValue(value);
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`a tool must return a JSON value, not a ${typeof value}`);
  }
  return (value ?? null) as JsonValue;
}

function toContentValue(value: unknown): JsonValue {
  const { blocks } = toToolOutput(value);
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : undefined));
  return texts.every((text) => text !== undefined) ? texts.join('') : (blocks as unknown as JsonValue);
}
