/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object, as tasks, tool inputs, details and metadata are. */
export type JsonObject = { [key: string]: JsonValue };

/** Whether a value is an object with keys: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// What stands behind the point for each number of microseconds: a fraction takes longer to write than the rest of a line.
const FRACTIONS = Array.from({ length: 1000 }, (_, micros) => String(micros / 1000).slice(1));

/** Milliseconds as JSON, with three decimals at the most. */
export function millisecondsJson(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = micros % 1000;
  return `${(micros - rest) / 1000}${FRACTIONS[rest] ?? ''}`;
}
