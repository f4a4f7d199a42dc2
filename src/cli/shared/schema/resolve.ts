import { isObject, type JsonObject, resolveRef } from '../../../protocol/index.ts';

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
  const target = resolveRef(root, $ref);
  return target === undefined ? undefined : resolve({ ...target, ...beside }, root, [...trail, $ref]);
}

// Generators write allOf around one reference to put a description beside it.
function unwrap(schema: JsonObject, root: JsonObject, trail: readonly string[]): Resolved | undefined {
  const { allOf, ...beside } = schema;
  if (!Array.isArray(allOf)) return { schema, trail };
  const [only] = allOf;
  return allOf.length === 1 && isObject(only) ? resolve({ ...only, ...beside } as JsonObject, root, trail) : undefined;
}
