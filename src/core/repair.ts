import type { ErrorObject } from 'ajv';
import { isObject, type JsonObject } from '../protocol/index.ts';
import { toPath } from './problems.ts';

// Each pass repairs every place it can; a union of unions may need a second look, never an endless one.
const MAX_PASSES = 3;

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/;

/**
 * Mends in place what models and Python clients send and pydantic forgives: numbers and booleans written as strings
 * where nothing is lost, and null for an optional parameter. Returns the errors that are left.
 */
export function repair(value: unknown, schema: JsonObject, errorsOf: (value: unknown) => ErrorObject[]): ErrorObject[] {
  let errors = errorsOf(value);
  for (let pass = 0; pass < MAX_PASSES && errors.length > 0; pass += 1) {
    const mended = errors.filter((error) => mend(value, schema, error)).length;
    if (mended === 0) break;
    errors = errorsOf(value);
  }
  return errors;
}

function mend(root: unknown, schema: JsonObject, error: ErrorObject): boolean {
  const path = toPath(error.instancePath);
  const key = path.pop();
  const parent = path.reduce(child, root);
  if (key === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return false;
  const holder = parent as Record<string, unknown>;
  const found = holder[key];
  if (found === null) {
    if (Array.isArray(parent) || isRequired(schema, error.schemaPath, key)) return false;
    delete holder[key];
    return true;
  }
  if (error.keyword !== 'type' || typeof found !== 'string') return false;
  const coerced = coerce(found, [error.params.type].flat());
  if (coerced === undefined) return false;
  holder[key] = coerced;
  return true;
}

function coerce(text: string, types: string[]): number | boolean | undefined {
  if (types.includes('number') || types.includes('integer')) {
    const number = NUMBER.test(text) ? Number(text) : Number.NaN;
    const lossless = Number.isInteger(number)
      ? Number.isSafeInteger(number)
      : types.includes('number') && Number.isFinite(number);
    if (lossless) return number;
  }
  if (types.includes('boolean')) {
    const word = text.trim().toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
  }
  return undefined;
}

// The schema path ends in .../properties/<key>/<keyword...>; what stands before it is the schema of the parent.
function isRequired(schema: JsonObject, schemaPath: string, key: string): boolean {
  const steps = toPath(schemaPath.replace(/^#/, '')).map(decodeURIComponent);
  const at = steps.findLastIndex((step, index) => step === key && steps[index - 1] === 'properties');
  if (at < 0) return true; // not a named property of ours: leave it as it is
  const parent = steps.slice(0, at - 1).reduce(child, schema as unknown);
  return isObject(parent) && Array.isArray(parent.required) && parent.required.includes(key);
}

function child(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
