import { excessIn, MAX_ANSWER_BOUNDS, MAX_JSON_LEVELS } from '../protocol/index.ts';
import { toTooLarge } from './answer-bounds.ts';
import type { ErrorContext } from './errors.ts';

/** Parses what a server sent. What is no JSON is a SyntaxError; what would fill the memory or the stack is not parsed. */
export function parseJson(text: string, context: ErrorContext = {}, what = 'the answer'): unknown {
  const excess = excessIn(text, MAX_ANSWER_BOUNDS);
  if (excess === 'levels') throw toTooLarge(`${what} is nested more than ${MAX_JSON_LEVELS} deep`, context);
  if (excess !== undefined) throw toTooLarge(`${what} has more than ${MAX_ANSWER_BOUNDS.values} values`, context);
  return JSON.parse(text);
}
