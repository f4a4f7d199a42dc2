import { isObject, type JsonObject } from '../../../protocol/index.ts';

/** A schema with what it refers to written into it, and the references that were followed. */
export interface Resolved {
  readonly schema: JsonObject;
  readonly trail: readonly string[];
}

/** Follows references to places in the same document; undefined where one leads elsewhere, nowhere, or back to itself. */
export function resolve(schema: JsonObject, root: JsonObject, trail: readonly string[]): Resolved | undefined {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return unwrap(schema, root, trail);
  if (trail.includes($ref)) return undefined;
  const target = find(root, $ref);
  return target === undefined ? undefined : resolve({ ...target, ...beside }, root, [...trail, $ref]);
}

// Generators write allOf around one reference to put a description beside it.
function unwrap(schema: JsonObject, root: JsonObject, trail: readonly string[]): Resolved | undefined {
  const { allOf, ...beside } = schema;
  if (!Array.isArray(allOf)) return { schema, trail };
  const [only] = allOf;
  return allOf.length === 1 && isObject(only) ? resolve({ ...only, ...beside } as JsonObject, root, trail) : undefined;
}

function find(root: JsonObject, ref: string): JsonObject | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.split('/').slice(1).map(toKey)) {
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return isObject(at) ? (at as JsonObject) : undefined;
}

function toKey(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign of its own.
  }
}
