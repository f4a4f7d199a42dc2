import type { Ajv } from 'ajv';
import type { JsonValue } from '../protocol/index.ts';
import { toCanonical } from './canonical.ts';

/** Gives an engine a `uniqueItems` of linear cost: its own compares each object with each other one, which takes minutes. */
export function withUniqueItems(engine: Ajv): Ajv {
  return engine.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (wanted: boolean) => (items: JsonValue[]) => !wanted || areUnique(items),
  });
}

function areUnique(items: readonly JsonValue[]): boolean {
  const simple = new Set<JsonValue>();
  // Apart: a text may look like the JSON of an object.
  const nested = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) nested.add(toCanonical(item));
    else simple.add(item);
  }
  return simple.size + nested.size === items.length;
}
