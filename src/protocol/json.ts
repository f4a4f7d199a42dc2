/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object, as tasks, tool inputs, details and metadata are. */
export type JsonObject = { [key: string]: JsonValue };

/** Whether a value is an object with keys: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
