import { isObject } from '../../protocol/index.ts';

/**
 * Makes zero of each minus zero in a parsed value. `JSON.parse` gives it for `-0`, and JSON has no word for it: a journal, a record or another
 * server would have 0 in its place, and a tool could tell them apart.
 */
export function unsignZeros(parsed: unknown): void {
  // A long list is walked by index: its keys would be as many texts.
  if (Array.isArray(parsed)) for (let at = 0; at < parsed.length; at += 1) parsed[at] = unsigned(parsed[at]);
  else if (isObject(parsed)) for (const key of Object.keys(parsed)) parsed[key] = unsigned(parsed[key]);
}

function unsigned(value: unknown): unknown {
  if (value === 0) return 0;
  unsignZeros(value);
  return value;
}
