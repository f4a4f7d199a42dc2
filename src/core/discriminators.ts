import { isObject, type JsonObject, type JsonValue, mapSubschemas, resolveRef } from '../protocol/index.ts';

const UNIONS = ['anyOf', 'oneOf'] as const;

/**
 * The same schema with unions resolved by their constants: where each form of an object has its own value of one property,
 * such as `kind`, only the form that is meant is checked. Otherwise every form is, at each level of a tree once more, and
 * the mistakes of all forms are told.
 */
export function byDiscriminators(root: JsonObject): JsonObject {
  // A reference into a union would lead nowhere once the union stands in another place.
  if (/"\$ref":"[^"]*\/(anyOf|oneOf)\//.test(JSON.stringify(root))) return root;
  const rewrite = (schema: JsonObject): JsonObject => {
    const rewritten = mapSubschemas(schema, rewrite);
    return UNIONS.reduce((result, keyword) => {
      const branches = schema[keyword];
      const union = Array.isArray(branches) ? toTaggedUnion(root, branches) : undefined;
      return union === undefined ? result : withDispatch(result, keyword, union);
    }, rewritten);
  };
  return rewrite(root);
}

/** A union whose objects are told apart by one property. */
interface TaggedUnion {
  readonly property: string;
  /** The values of that property, for each branch; none for a branch that takes no objects. */
  readonly tags: readonly (readonly JsonValue[] | undefined)[];
  /** The types that the property may have, if the schema says so: for the mending of a "1" that should be a 1. */
  readonly types: readonly JsonValue[] | undefined;
}

function toTaggedUnion(root: JsonObject, branches: readonly JsonValue[]): TaggedUnion | undefined {
  const forms = branches.map((branch) => resolve(root, branch));
  const objects = forms.filter((form) => !takesNoObject(form));
  const [first] = objects;
  if (first === undefined || objects.length < 2) return undefined;
  for (const property of requiredOf(root, first)) {
    const tags = forms.map((form) => (takesNoObject(form) ? undefined : tagsOf(root, form, property)));
    const all = tags.flatMap((values) => values ?? []);
    const known = tags.filter((values) => values !== undefined).length === objects.length;
    if (!known || new Set(all).size < all.length) continue;
    const types = objects.map((form) => (form as JsonObject | undefined)?.properties as JsonObject | undefined);
    const stated = types.map((properties) => resolve(root, properties?.[property])?.type);
    return {
      property,
      tags,
      types: stated.includes(undefined) ? undefined : ([...new Set(stated.flat())] as JsonValue[]),
    };
  }
  return undefined;
}

/** The schema behind a reference that stands alone, or the schema itself. */
function resolve(root: JsonObject, schema: JsonValue | undefined): JsonObject | undefined {
  let found = isObject(schema) ? (schema as JsonObject) : undefined;
  // Two at most: a reference to a reference is rare, and a circle of them has no end.
  for (let hops = 0; hops < 2 && typeof found?.$ref === 'string'; hops += 1) found = resolveRef(root, found.$ref);
  return found;
}

function takesNoObject(form: JsonObject | undefined): boolean {
  if (form === undefined) return false;
  if (form.type !== undefined) return ![form.type].flat().includes('object');
  const constants = constantsOf(form);
  return constants?.every((value) => typeof value !== 'object' || value === null) ?? false;
}

function requiredOf(root: JsonObject, form: JsonObject): string[] {
  if (Array.isArray(form.required)) return form.required.filter((name) => typeof name === 'string');
  const [first] = unionOf(form) ?? [];
  const inner = resolve(root, first);
  return inner === undefined || unionOf(inner) !== undefined ? [] : requiredOf(root, inner);
}

/** The values that a form allows for a property that it requires; undefined if it allows any, or does without. */
function tagsOf(root: JsonObject, form: JsonObject | undefined, property: string, levels = 3): JsonValue[] | undefined {
  if (form === undefined || levels === 0) return undefined;
  const inner = unionOf(form);
  if (inner !== undefined) {
    const tags = inner.map((branch) => tagsOf(root, resolve(root, branch), property, levels - 1));
    return tags.includes(undefined) ? undefined : tags.flatMap((values) => values ?? []);
  }
  const { type, required, properties } = form;
  if (type !== 'object' || !Array.isArray(required) || !required.includes(property)) return undefined;
  if (!isObject(properties) || !Object.hasOwn(properties, property)) return undefined;
  return constantsOf(resolve(root, (properties as JsonObject)[property]));
}

function unionOf({ oneOf, anyOf }: JsonObject): JsonValue[] | undefined {
  const union = oneOf ?? anyOf;
  return Array.isArray(union) ? union : undefined;
}

function constantsOf(schema: JsonObject | undefined): JsonValue[] | undefined {
  if (schema === undefined) return undefined;
  const constants = 'const' in schema ? [schema.const as JsonValue] : schema.enum;
  if (!Array.isArray(constants)) return undefined;
  return constants.some((value) => typeof value === 'object' && value !== null) ? undefined : constants;
}

function withDispatch(
  schema: JsonObject,
  keyword: (typeof UNIONS)[number],
  { property, tags, types }: TaggedUnion,
): JsonObject {
  const { [keyword]: branches, allOf = [], ...rest } = schema;
  const forms = branches as JsonValue[];
  const isOf = (values: readonly JsonValue[]): JsonObject => ({
    required: [property],
    properties: { [property]: { enum: [...values] } },
  });
  const tagged = forms.flatMap((form, at) => (tags[at] === undefined ? [] : [conditional(isOf(tags[at]), form)]));
  const others = forms.filter((_, at) => tags[at] === undefined);
  const all = tags.flatMap((values) => values ?? []);
  const objects: JsonObject = {
    required: [property],
    properties: { [property]: { ...(types === undefined ? {} : { type: [...types] }), enum: all } },
    allOf: tagged,
  };
  const noObjects = others.length === 0 ? { type: 'object' } : { [keyword]: [{ type: 'object' }, ...others] };
  return { ...rest, allOf: [...(allOf as JsonValue[]), conditional({ type: 'object' }, objects, noObjects)] };
}

function conditional(condition: JsonObject, met: JsonValue, otherwise: JsonValue = true): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  return { if: condition, then: met, else: otherwise };
}
