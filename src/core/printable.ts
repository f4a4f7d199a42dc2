// What terminals obey, and what some readers of lines take for the end of one; JSON writes them as they are.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029]/g;

/** A text that a stranger chose, for the log. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, encodeURIComponent);
}
