import type { JsonValue } from '../../protocol/index.ts';

/** Whether two pieces of JSON are written the same. */
export function isSame(first: JsonValue, second: JsonValue): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** The values without those that are written like an earlier one. */
export function toDistinct<Value extends JsonValue>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
