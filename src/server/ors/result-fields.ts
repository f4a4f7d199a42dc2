import { millisecondsJson } from '../../protocol/index.ts';
import type { RecordedFailure } from '../../records/index.ts';
import { type CallEnding, outcomeOf } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { type FailedEnding, failureWords } from './failure-words.ts';

// As `resultJson` writes every result.
const BEFORE_OUTPUT = '{"ok":true,"output":{';
const AFTER_OUTPUT = '}}';

/**
 * How a call ended, as fields of a `result` in a record and of an `output` in `GET /events`. What a tool returned is JSON already, and
 * is not parsed.
 */
export function resultFields(ending: CallEnding, durationMs: number, returnErrors: ReturnErrors): string {
  const head = `"ms":${millisecondsJson(durationMs)},"outcome":"${outcomeOf(ending)}"`;
  if (ending.kind === 'returned') return `${head},${outputFields(ending.json)}`;
  return `${head},"failure":${JSON.stringify(toFailure(ending, returnErrors))}`;
}

function outputFields(json: string): string {
  const { length } = BEFORE_OUTPUT;
  // `startsWith` takes three times as long, since the text was put together from pieces.
  if (json.slice(0, length) === BEFORE_OUTPUT) return json.slice(length, -AFTER_OUTPUT.length);
  const { output } = JSON.parse(json) as { readonly output: object };
  return JSON.stringify(output).slice(1, -1);
}

function toFailure(ending: FailedEnding, returnErrors: ReturnErrors): RecordedFailure {
  const { message, reason } = failureWords(ending, returnErrors);
  const otherwise = ending.kind === 'failed' ? 'broken' : 'refused';
  return { reason: reason ?? otherwise, message, code: ending.failure.code };
}
