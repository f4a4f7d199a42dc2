import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';

// Whatever stands there, evaluating it takes no longer than reading it.
const HARMLESS: ReadonlySet<string> = new Set([
  '$schema',
  'type',
  'title',
  'description',
  'default',
  'examples',
  'enum',
  'const',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
]);

const MOST_CHARACTERS = 10_000;
const MOST_LETTERS = 1_000;

/**
 * Whether a schema is as those of most tools are, and cannot take long: small, and without patterns, references, choices and
 * anything else that multiplies. A keyword that is not known counts as one that does.
 */
export function isSimple(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= MOST_CHARACTERS && isSimpleAt(schema);
}

function isSimpleAt(schema: JsonValue): boolean {
  if (typeof schema === 'boolean') return true;
  return isObject(schema) && Object.entries(schema).every(([keyword, value]) => isSimpleKeyword(keyword, value));
}

function isSimpleKeyword(keyword: string, value: JsonValue | undefined): boolean {
  if (HARMLESS.has(keyword)) return true;
  if (keyword === 'minLength') return typeof value === 'number' && value <= MOST_LETTERS;
  if (keyword === 'items' || keyword === 'additionalProperties') return isSimpleAt(value as JsonValue);
  return keyword === 'properties' && isObject(value) && Object.values(value).every((each) => isSimpleAt(each));
}
