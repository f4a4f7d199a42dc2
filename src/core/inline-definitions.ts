import { isObject, type JsonObject, mapSubschemas } from '../protocol/index.ts';
import { DefinitionError } from './errors.ts';

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
    return { ...inline(resolve(root, $ref, where), [...trail, $ref]), ...inlined };
  };
  return inline(root, []);
}

function resolve(root: JsonObject, ref: string, where: string): JsonObject {
  const steps = ref
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = steps.reduce<unknown>(
    (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    root,
  );
  if (!ref.startsWith('#') || !isObject(found))
    throw new DefinitionError(`${where} refers to ${ref}, which is not in it`);
  return found as JsonObject;
}
