import { type Outcome, outcomeOfCode } from '../protocol/index.ts';
import type { TiltyardError } from './errors.ts';

/** How a call ended that has an error instead of a result: what is not the environment's or the session's is the request's. */
export function toOutcome({ code }: TiltyardError): Outcome {
  return outcomeOfCode(code) ?? 'tool_error';
}
