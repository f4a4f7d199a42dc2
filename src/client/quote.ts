import { cutText } from '../protocol/index.ts';

/** What a server sent, as a message shows it. */
export function quote(sent: unknown): string {
  return toShort(toJsonText(sent));
}

/** Text of a length that a message can have. */
export function toShort(text: string): string {
  return cutText(text, 100, '...');
}

/** What a server sent as JSON once more, at whatever length. */
export function toJsonText(sent: unknown): string {
  // JSON has no infinity, though 1e999 is one.
  if (typeof sent === 'number') return String(sent);
  try {
    return JSON.stringify(sent) ?? 'nothing';
  } catch {
    return 'something too deep to be shown'; // JSON of any depth can be read, but not written
  }
}
