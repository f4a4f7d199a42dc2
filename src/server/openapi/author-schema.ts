import { isLocalRef, isObject, type JsonObject, mapSubschemas } from '../../protocol/index.ts';

// What an address or a dialect of its own would change for the references inside.
const ADDRESSES: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'],
]);

/**
 * An author's schema as the component `name` of the document: its references lead to the same places as before. Undefined for
 * one that would mean something else there, such as one with an `$id`, or of another draft.
 */
export function toComponent(schema: JsonObject, name: string): JsonObject | undefined {
  const { $schema, ...root } = schema;
  if (typeof $schema === 'string' && !$schema.includes('2020-12')) return undefined;
  const base = `#/components/schemas/${name}`;
  const moved = moveReferences(root, base);
  return isAtHome(moved, base) ? moved : undefined;
}

function moveReferences(schema: JsonObject, base: string): JsonObject {
  const { $ref } = schema;
  const moved = typeof $ref === 'string' && isLocalRef($ref) ? { ...schema, $ref: base + $ref.slice(1) } : schema;
  return mapSubschemas(moved, (inner) => moveReferences(inner, base));
}

// Looks everywhere, as readers of the document do: also at constants, and at places that only the author knows.
function isAtHome(node: unknown, base: string): boolean {
  if (Array.isArray(node)) return node.every((each) => isAtHome(each, base));
  if (!isObject(node)) return true;
  return Object.entries(node).every(([key, value]) => {
    if (typeof value !== 'string') return isAtHome(value, base);
    return key === '$ref' ? value === base || value.startsWith(`${base}/`) : !ADDRESSES.has(key);
  });
}
