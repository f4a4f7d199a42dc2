import { withoutForeignFrames } from '../shared/location.ts';

/** What a tool's failure says to a person: its kind behind the first line, and of a stack what the author wrote. */
export function failureText(message: string, reason: string): string {
  const [first = '', ...rest] = withoutForeignFrames(message).split('\n');
  return [`${first} (${reason})`, ...rest].join('\n');
}
