import { isLocalRef, type JsonObject, mapSubschemas, resolveRef } from '../protocol/index.ts';
import { DefinitionError } from './errors.ts';

// What may stand beside a reference without being a rule of its own.
const NOTES: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['$schema', '$id'],
]);

/** The same schema without `$ref` and definitions, which OXP does not allow; `where` names it in an error message. */
export function inlineDefinitions(root: JsonObject, where: string): JsonObject {
  const inline = (schema: JsonObject, trail: readonly string[]): JsonObject => {
    const { $ref, $defs: _$defs, definitions: _definitions, ...rest } = schema;
    const inlined = mapSubschemas(rest, (subschema) => inline(subschema, trail));
    if (typeof $ref !== 'string') return inlined;
    if (trail.includes($ref)) {
      throw new DefinitionError(
        `${where} refers to itself (${$ref}), which OXP cannot publish. Make it finite, or take JSON as a string`,
      );
    }
    const target = inline(resolve(root, $ref, where), [...trail, $ref]);
    if (Object.keys(inlined).every((keyword) => NOTES.has(keyword))) return { ...target, ...inlined };
    // Rules beside a reference hold together with those behind it; neither may replace the other.
    return { ...inlined, allOf: [...((inlined.allOf ?? []) as JsonObject[]), target] };
  };
  return inline(root, []);
}

function resolve(root: JsonObject, ref: string, where: string): JsonObject {
  if (!isLocalRef(ref)) {
    throw new DefinitionError(
      `${where} refers to ${ref}, which cannot be inlined. Use a local reference, such as #/$defs/Name`,
    );
  }
  const found = resolveRef(root, ref);
  if (found === undefined) throw new DefinitionError(`${where} refers to ${ref}, which does not exist`);
  return found;
}
