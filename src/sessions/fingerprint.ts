import { createHash } from 'node:crypto';
import { type CatalogTool, TiltyardError } from '../core/index.ts';
import type { JsonObject, JsonValue } from '../protocol/index.ts';

// Far more than any model writes, and far less than the stack holds.
const MAX_DEPTH = 500;

// Shorter than a result, and cheaper than a hash.
const KEPT_AS_IT_IS = 256;

/**
 * What is asked of which tool and for whom, to tell a repeat from a key that is used twice. Not with which secrets:
 * tokens are renewed between two attempts.
 */
export function fingerprintOf({ definition }: CatalogTool, input: JsonObject, userId: string | undefined): string {
  const asked = toCanonical([definition.id, userId ?? null, input], 0);
  if (asked.length <= KEPT_AS_IT_IS) return asked;
  // A hash, because it is kept for as long as the result is, and an input may have megabytes.
  return createHash('sha256').update(asked).digest('base64');
}

// JSON with its keys in order: their order says nothing, and not every client writes them in the same order twice.
function toCanonical(value: JsonValue, depth: number): string {
  if (!isNested(value)) return JSON.stringify(value);
  if (depth > MAX_DEPTH) throw new TiltyardError('invalid_input', 'Is nested too deeply');
  if (Array.isArray(value)) {
    // Most long inputs are long lists of numbers, in which nothing needs an order.
    if (!value.some(isNested)) return JSON.stringify(value);
    return `[${value.map((item) => toCanonical(item, depth + 1)).join()}]`;
  }
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${toCanonical(inner, depth + 1)}`).join()}}`;
}

function isNested(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === 'object' && value !== null;
}
