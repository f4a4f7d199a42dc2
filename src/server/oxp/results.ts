import { OXP_SCHEMA, type WireToolError } from '../../protocol/index.ts';
import type { CallEnding, CallFailure } from '../../sessions/index.ts';
import { type ReturnErrors, reveal } from '../http/errors.ts';

/** How a call ended that was not refused before it ran. */
export type RanEnding = Exclude<CallEnding, { kind: 'refused' }>;

/** The result of a run as the body that is sent, with a value or with an error: texts one after the other. */
export function toResultTexts(
  callId: string,
  ending: RanEnding,
  durationMs: number,
  returnErrors: ReturnErrors,
): readonly string[] {
  // By hand: the value is JSON already, a repeat need not write it again, and a large one is not copied.
  const head = `"call_id":${JSON.stringify(callId)},"duration":${Math.round(durationMs)}`;
  const start = `{"$schema":"${OXP_SCHEMA}","result":{${head},`;
  return ending.kind === 'returned'
    ? [`${start}"success":true,"value":`, ending.json, '}}']
    : [`${start}"success":false,"error":`, JSON.stringify(toWireError(ending, returnErrors)), '}}'];
}

function toWireError(
  { outcome, failure }: Extract<RanEnding, { kind: 'failed' }>,
  returnErrors: ReturnErrors,
): WireToolError {
  const { thrown, developerMessage = thrown && reveal(thrown, returnErrors) } = failure;
  const { canRetry, promptContent, retryAfterMs } = failure;
  return {
    message: messageOf(failure, outcome),
    ...(developerMessage === undefined ? {} : { developer_message: developerMessage }),
    ...(canRetry === undefined ? {} : { can_retry: canRetry }),
    ...(promptContent === undefined ? {} : { additional_prompt_content: promptContent }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
  };
}

function messageOf({ message }: CallFailure, outcome: string): string {
  return outcome === 'timeout' ? `The tool ${message}` : message;
}
