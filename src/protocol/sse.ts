import { toChunks, toSingleChunk } from './chunks.ts';
import { cutText } from './cut-text.ts';
import { isOutcome, type Outcome } from './outcome.ts';

/** A comment line: keeps a quiet stream alive, and no parser takes it for an event. */
export const PING = ': ping\n\n';

// An error stays below 64 KB, far from the 128 KB at which aiohttp gives up on a line. The dearest character is a line
// break: it is written as the seven bytes of an empty `data:` line.
const MAX_ERROR_CHARACTERS = 9_000;

/** The first event of a stream: the id under which a client can come back for the result. */
export function encodeTaskId(id: string): string {
  return `event: task_id\ndata: ${id}\n\n`;
}

/** The whole result as events, when it fits into one; small answers take this path. */
export function encodeSmallResult(json: string): string | undefined {
  const payload = toSingleChunk(json);
  return payload === undefined ? undefined : `event: end\ndata: ${payload}\n\n`;
}

/** The result as `chunk` events and one `end`, made as they are asked for so that a slow reader costs no memory. */
export function* encodeResult(json: string): Generator<string, void, undefined> {
  let held: string | undefined;
  for (const chunk of toChunks(json)) {
    if (held !== undefined) yield `event: chunk\ndata: ${held}\n\n`;
    held = chunk;
  }
  yield `event: end\ndata: ${held ?? ''}\n\n`;
}

const OUTCOME_COMMENT = 'outcome ';

/**
 * The last event of a call that has no result; a message of several lines becomes several `data:` lines. It means
 * `env_error`; what else it may be is told in a comment before it, because all of its text is the message.
 */
export function encodeError(message: string, outcome: Outcome = 'env_error'): string {
  const text = cutText(message, MAX_ERROR_CHARACTERS, ` [cut, ${message.length} characters in all]`);
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f\x1c-\x1e]/);
  const comment = outcome === 'env_error' ? '' : `: ${OUTCOME_COMMENT}${outcome}\n\n`;
  return `${comment}event: error\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}

/** The outcome that a comment tells, if it tells one. */
export function outcomeIn(comment: string): Outcome | undefined {
  const text = comment.trim();
  const outcome = text.startsWith(OUTCOME_COMMENT) ? text.slice(OUTCOME_COMMENT.length) : undefined;
  return isOutcome(outcome) ? outcome : undefined;
}
