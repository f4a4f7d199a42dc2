import type { JsonObject } from '../../protocol/index.ts';

// Keywords with which a schema still takes {}.
const HARMLESS = new Set(['$schema', 'title', 'description', 'type', 'properties', 'additionalProperties']);

/** Whether a tool can be called with {}: an example must be one that the server takes. */
export function takesNothing(schema: JsonObject | null): boolean {
  return schema === null || Object.keys(schema).every((keyword) => HARMLESS.has(keyword));
}
