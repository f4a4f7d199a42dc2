/**
 * Text of a server, fit for a terminal: without control characters, with which a hostile server could move the cursor,
 * rename the window or hide what it wrote. Line ends and tabs stay.
 */
export function toSafeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '�');
}

/** JSON of what a server sent, fit for a terminal: what JSON leaves as it is and a terminal obeys, is written as \\u009b. */
export function toSafeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  return json.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
