import type { JsonObject, JsonValue } from '../protocol/index.ts';

/** JSON with its keys in order: their order says nothing, and not every client writes them in the same order twice. */
export function toCanonical(value: JsonValue): string {
  if (!isNested(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    // Most long inputs are long lists of numbers, in which nothing needs an order.
    if (!value.some(isNested)) return JSON.stringify(value);
    return `[${value.map(toCanonical).join()}]`;
  }
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${toCanonical(inner)}`).join()}}`;
}

function isNested(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === 'object' && value !== null;
}
