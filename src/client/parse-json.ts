import { excessIn } from '../protocol/index.ts';
import { toTooLarge } from './answer-bounds.ts';
import type { ErrorContext } from './errors.ts';

/** Parses what a server sent. What is no JSON is a SyntaxError; what would fill the memory or the stack is not parsed. */
export function parseJson(text: string, context: ErrorContext = {}, what = 'the answer'): unknown {
  const excess = excessIn(text);
  if (excess !== undefined) throw toTooLarge(`${what} ${excess}`, context);
  return JSON.parse(text);
}
