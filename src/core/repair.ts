import type { ErrorObject } from 'ajv';
import { toPointerSteps } from '../protocol/index.ts';

// Each pass mends every place it can; a union may need a second look to undo and a third to mend again, never more.
const MAX_PASSES = 3;

// No two parts of it match the same character, so that a long string of digits costs no more than its length.
const NUMBER = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/;

// The schema path of a dictionary's entry, which is data: only a named parameter can be left out.
const DICTIONARY = /\/(additional|unevaluated|pattern)Properties\/(?!.*\/properties\/)/;

/** A place that was mended, with what stood there. */
interface Mend {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly original: unknown;
  undone: boolean;
}

/**
 * Mends in place what models and Python clients send and pydantic forgives: numbers and booleans written as strings
 * where nothing is lost, and null for an optional parameter. Returns the errors that are left.
 */
export function repair(value: unknown, errorsOf: (value: unknown) => ErrorObject[]): ErrorObject[] {
  const mending: Mending = { mends: new Map(), find: finder(value) };
  let errors = errorsOf(value);
  for (let pass = 0; pass < MAX_PASSES && errors.length > 0; pass += 1) {
    const changed = errors.filter((error) => mend(error, mending)).length;
    if (changed === 0) break;
    errors = errorsOf(value);
  }
  return errors;
}

interface Mending {
  readonly mends: Map<string, Mend>;
  /** What a pointer leads to. */
  readonly find: (pointer: string) => unknown;
}

function mend(error: ErrorObject, { mends, find }: Mending): boolean {
  const { instancePath } = error;
  const place =
    error.keyword === 'required' ? `${instancePath}/${escaped(error.params.missingProperty)}` : instancePath;
  const earlier = mends.get(place);
  if (earlier !== undefined) return undo(earlier, error);
  const at = place.lastIndexOf('/');
  if (at < 0) return false;
  const holder = find(place.slice(0, at));
  const [key = ''] = toPointerSteps(place.slice(at));
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return false;
  const done = mendKey(holder as Record<string, unknown>, key, error);
  if (done !== undefined) mends.set(place, done);
  return done !== undefined;
}

// From the nearest place that is known: from the root each time, a deep value would take the square of its depth.
function finder(root: unknown): (pointer: string) => unknown {
  const known = new Map<string, unknown>([['', root]]);
  const find = (pointer: string): unknown => {
    const before = known.get(pointer);
    if (before !== undefined) return before;
    const at = pointer.lastIndexOf('/');
    const [key = ''] = toPointerSteps(pointer.slice(at));
    const found = child(find(pointer.slice(0, at)), key);
    known.set(pointer, found);
    return found;
  };
  return find;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function mendKey(holder: Record<string, unknown>, key: string, error: ErrorObject): Mend | undefined {
  const original = holder[key];
  if (original === null && !Array.isArray(holder) && !DICTIONARY.test(error.schemaPath)) {
    delete holder[key];
    return { holder, key, original, undone: false };
  }
  if (error.keyword !== 'type' || typeof original !== 'string') return undefined;
  const coerced = coerce(original, [error.params.type].flat());
  if (coerced === undefined) return undefined;
  holder[key] = coerced;
  return { holder, key, original, undone: false };
}

// The null stood for a required parameter, or another branch of a union wants the string that one branch did not.
function undo(earlier: Mend, { keyword, params }: ErrorObject): boolean {
  const regretted = keyword === 'required' || (keyword === 'type' && [params.type].flat().includes('string'));
  if (earlier.undone || !regretted) return false;
  earlier.holder[earlier.key] = earlier.original;
  earlier.undone = true;
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

function child(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
