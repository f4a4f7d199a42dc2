import { toSafeText } from '../safe-text.ts';

/** Text of anybody as HTML text or as the value of an attribute: nothing in it is markup. */
export function escapeHtml(text: string): string {
  return toSafeText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
