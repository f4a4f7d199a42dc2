import { UNPRINTABLE } from '../../core/index.ts';

/**
 * Text of a server, fit for a terminal: without control characters, with which a hostile server could move the cursor,
 * rename the window or hide what it wrote, and without characters that nobody sees. Line ends and tabs stay.
 */
export function toSafeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(UNPRINTABLE, '�');
}

/** JSON of what a server sent, fit for a terminal: what JSON leaves as it is and a terminal obeys, is written as \\u009b. */
export function toSafeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  return json.replace(UNPRINTABLE, toEscapes);
}

// Those beyond the first 65,536 characters take two.
function toEscapes(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
