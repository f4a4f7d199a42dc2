import { type ToolError, toText } from './errors.ts';

/** What a tool says about its failure: plain values of the types that they should have. */
export interface ReportedFailure {
  readonly message: string;
  readonly developerMessage: string | undefined;
  readonly canRetry: boolean | undefined;
  readonly promptContent: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Where it was thrown, and why, for the log. */
  readonly stack: string | undefined;
  readonly cause: unknown;
}

/** Reads a ToolError, once: JavaScript lets an author write anything into any field, getters included. */
export function toReportedFailure(error: ToolError): ReportedFailure {
  const { message, developerMessage, canRetry, promptContent, retryAfterMs, stack, cause } = error;
  return {
    message: toText(message),
    developerMessage: toOptionalText(developerMessage),
    canRetry: typeof canRetry === 'boolean' ? canRetry : undefined,
    promptContent: toOptionalText(promptContent),
    retryAfterMs: Number.isFinite(retryAfterMs) ? Math.max(0, Math.round(retryAfterMs as number)) : undefined,
    stack: toOptionalText(stack),
    cause,
  };
}

function toOptionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : toText(value);
}
