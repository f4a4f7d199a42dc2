import { type JsonObject, type JsonValue, mapSubschemas, resolveRef } from '../../protocol/index.ts';

/**
 * Which references are replaced by what they name: all of them, or only those that may dangle when the root is rewritten,
 * so that references to definitions and to the whole schema stay.
 */
export type InlinePolicy = 'all' | 'outside-definitions';

// Types that refer to each other can be spelled out in exponentially many ways, so the depth is the greatest that stays
// below this number of schemas.
const MAX_SCHEMAS = 2000;
const DEPTHS: readonly number[] = [Number.POSITIVE_INFINITY, 8, 4, 3, 2, 1];

const TO_DEFINITION = /^#$|^#\/(?:\$defs|definitions)\//;
const COMPOSITIONS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);
// What may stand beside a reference without narrowing what it names.
const ANNOTATION = /^(?:description|title|default|examples?|deprecated|readOnly|writeOnly|definitions|\$.*|x-.*)$/;

/**
 * A schema with its references replaced. Where the root itself is made of references they always are, because providers
 * want to see an object there. A reference that leads back to itself ends as a note.
 */
export function inlineRefs(root: JsonObject, policy: InlinePolicy): JsonObject {
  let result = root;
  for (const maxDepth of DEPTHS) {
    const pass: Pass = { root, policy, maxDepth, schemas: 0 };
    result = inline(root, pass, { trail: ['#'], atRoot: true });
    if (pass.schemas <= MAX_SCHEMAS) break;
  }
  return result;
}

interface Pass {
  readonly root: JsonObject;
  readonly policy: InlinePolicy;
  readonly maxDepth: number;
  schemas: number;
}

interface Place {
  /** The references that led here. */
  readonly trail: readonly string[];
  /** Whether this is the root, or a branch of it. */
  readonly atRoot: boolean;
}

function inline(schema: JsonObject, pass: Pass, place: Place): JsonObject {
  pass.schemas += 1;
  const { $ref, ...siblings } = schema;
  if (typeof $ref === 'string' && (pass.policy === 'all' || place.atRoot || !TO_DEFINITION.test($ref))) {
    return inlineRef($ref, inline(siblings, pass, place), pass, place);
  }
  const { $defs: _$defs, definitions: _definitions, ...others } = schema;
  // Nobody refers to definitions any more; spelling them out would only cost.
  return mapSubschemas(pass.policy === 'all' ? others : schema, (subschema, keyword) =>
    inline(subschema, pass, { ...place, atRoot: place.atRoot && COMPOSITIONS.has(keyword) }),
  );
}

function inlineRef(ref: string, siblings: JsonObject, pass: Pass, { trail, atRoot }: Place): JsonObject {
  const target = resolveRef(pass.root, ref);
  if (target === undefined && pass.policy !== 'all' && !atRoot) return { ...siblings, $ref: ref };
  // A pass that has failed is only brought to its end; the last one must not fail.
  const failed = pass.schemas > MAX_SCHEMAS && pass.maxDepth > 1;
  const ends = failed || trail.includes(ref) || trail.length > pass.maxDepth;
  if (target === undefined || ends) return { ...siblings, ...toEnd(ref, target, siblings.description) };
  const inlined = inline(target, pass, { trail: [...trail, ref], atRoot });
  const annotated = Object.keys(siblings).every((keyword) => ANNOTATION.test(keyword));
  return annotated ? { ...inlined, ...siblings } : { allOf: [siblings, inlined] };
}

function toEnd(ref: string, target: JsonObject | undefined, description: JsonValue | undefined): JsonObject {
  const name = ref === '#' ? 'the whole input' : (ref.split('/').at(-1) ?? ref);
  const type = typeof target?.type === 'string' ? target.type : 'object';
  const note = `(has the form of ${name}, which is not spelled out here)`;
  return { type, description: typeof description === 'string' ? `${description} ${note}` : note };
}
