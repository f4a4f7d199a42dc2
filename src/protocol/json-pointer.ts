import { isObject, type JsonObject } from './json.ts';

/** The steps of a JSON pointer: `/a~1b/0` leads to `a/b`, and there to `0`. */
export function toPointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  // Most have nothing to unescape, and some are as long as a value is deep.
  return pointer.includes('~') ? steps.map(unescaped) : steps;
}

/** Whether a reference is a pointer into its own document: `#`, or `#/...`. */
export function isLocalRef(ref: string): boolean {
  return ref === '#' || ref.startsWith('#/');
}

/**
 * The schema that a reference points to within its own document. Undefined if there is none, if it is not an object, or if
 * it is in another document: nothing is fetched because a schema says so.
 */
export function resolveRef(root: JsonObject, ref: string): JsonObject | undefined {
  if (!isLocalRef(ref)) return undefined;
  let found: unknown = root;
  for (const step of toRefSteps(ref)) {
    // Own keys only: a pointer to `constructor` must not lead into Object.prototype.
    const holds = typeof found === 'object' && found !== null && Object.hasOwn(found, step);
    found = holds ? (found as JsonObject)[step] : undefined;
  }
  return isObject(found) ? (found as JsonObject) : undefined;
}

// Percent signs first, because `%7E1` is a `~1` that was escaped once more; and step by step, as Ajv does, so that `%2F`
// is part of a name.
function toRefSteps(ref: string): string[] {
  return ref.split('/').slice(1).map(percentDecoded).map(unescaped);
}

function percentDecoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // A stray % is not an escape, so it stands for itself.
    return step;
  }
}

// In this order: `~01` is the name `~1`, not `/`.
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
