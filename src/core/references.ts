import { _, type Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isLocalRef, type JsonObject, mapSubschemas, resolveRef } from '../protocol/index.ts';

// Stands for $ref in what is compiled.
const REFERENCE = 'x-tiltyard-reference';

// What depends on more than the schema and the value, so that it cannot be looked up, or gives a reference another meaning.
const UNSUITED =
  /"(\$id|\$anchor|\$dynamicRef|\$dynamicAnchor|\$recursiveRef|unevaluatedProperties|unevaluatedItems)":/;

// What can lead to the same value in more than one way.
const BRANCHING = /"(anyOf|oneOf|allOf|not|if|dependentSchemas|dependencies|contains|patternProperties)":/;

/** Whether a check that follows every reference each time can come to the same place twice. */
export function isBranching(schema: JsonObject): boolean {
  return BRANCHING.test(JSON.stringify(schema));
}

/** A schema whose references are followed once for each value, however many ways lead there. */
export interface BoundSchema {
  readonly schema: JsonObject;
  /** Its name in an engine. */
  readonly key: string;
  /** The references, by which the engine finds what they lead to. */
  readonly references: readonly string[];
}

/**
 * Replaces the references of a schema that may lead to further ones. Without that, a tree is checked in all combinations of
 * the forms that its levels may have: 33 seconds for 300 bytes. `key` names the schema in its engine.
 */
export function bindReferences(given: JsonObject, key: string): BoundSchema {
  const root = withoutId(given);
  if (UNSUITED.test(JSON.stringify(root))) return { schema: root, key, references: [] };
  const references = new Set<string>();
  const leading = new Map<string, boolean>();
  const isLeading = (ref: string): boolean => {
    const leads = leading.get(ref) ?? leadsOn(root, ref);
    leading.set(ref, leads);
    return leads;
  };
  const bind = (schema: JsonObject): JsonObject => {
    const bound = mapSubschemas(schema, bind);
    const { $ref, ...rest } = bound;
    if (typeof $ref !== 'string' || !isLeading($ref)) return bound;
    const reference = `${key}${$ref}`;
    references.add(reference);
    return { ...rest, [REFERENCE]: reference };
  };
  return { schema: bind(root), key, references: [...references] };
}

// The name of a whole document means nothing where all references are within it, by that name or without.
function withoutId(schema: JsonObject): JsonObject {
  const { $id, ...rest } = schema;
  if (typeof $id !== 'string' || UNSUITED.test(JSON.stringify(rest))) return schema;
  const toLocal = (inner: JsonObject): JsonObject => {
    const { $ref } = inner;
    const local = typeof $ref === 'string' ? { ...inner, $ref: withinDocument($ref, $id) } : inner;
    return mapSubschemas(local, toLocal);
  };
  const local = toLocal(rest);
  return /"\$ref":"[^#]/.test(JSON.stringify(local)) ? schema : local;
}

// Names may be relative, and then it makes no difference to what.
const ANYWHERE = 'http://localhost/';

/** A reference without the name of its own document; any other as it is. */
function withinDocument(ref: string, id: string): string {
  if (ref.startsWith('#') || !URL.canParse(id, ANYWHERE) || !URL.canParse(ref, new URL(id, ANYWHERE))) return ref;
  const [document] = new URL(id, ANYWHERE).href.split('#');
  const [target, fragment = ''] = new URL(ref, document).href.split('#');
  // Not the parsed one, which has been escaped.
  return target === document ? `#${fragment === '' ? '' : ref.slice(ref.indexOf('#') + 1)}` : ref;
}

// Others are written out in place by the engine.
function leadsOn(root: JsonObject, ref: string): boolean {
  const target = isLocalRef(ref) ? resolveRef(root, ref) : undefined;
  return target !== undefined && JSON.stringify(target).includes('"$ref":');
}

/** What a reference came to, for one value. */
interface Visit {
  readonly valid: boolean;
  readonly errors: readonly ErrorObject[];
  isTold: boolean;
}

/** One check of a whole value. */
class Run {
  readonly visits = new Map<string, Map<object, Visit>>();
  readonly failures: { readonly reference: string; readonly path: string; readonly visit: Visit }[] = [];
}

// Checks neither wait nor nest, so there is one at a time.
let run = new Run();

/** Teaches an engine to follow bound references. */
export function withReferences(engine: Ajv): Ajv {
  return engine.addKeyword({
    keyword: REFERENCE,
    schemaType: 'string',
    // Not those of the target: to add up the lists of errors of many targets would take the square of their number.
    errors: false,
    error: { message: 'leads on', params: ({ schemaCode }) => _`{ reference: ${schemaCode} }` },
    compile(reference: string) {
      let target: ValidateFunction | undefined;
      return (value, context) => {
        target ??= engine.getSchema(reference) as ValidateFunction;
        const visit = isContainer(value)
          ? visitOnce(reference, target, value, context)
          : toVisit(target, value, context);
        if (!visit.valid) run.failures.push({ reference, path: context?.instancePath ?? '', visit });
        return visit.valid;
      };
    },
  });
}

type Context = Parameters<ValidateFunction>[1];

// Nothing is inside anything else that could be checked again and again.
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function visitOnce(reference: string, target: ValidateFunction, value: object, context: Context): Visit {
  let visits = run.visits.get(reference);
  if (visits === undefined) {
    visits = new Map();
    run.visits.set(reference, visits);
  }
  let visit = visits.get(value);
  if (visit === undefined) {
    visit = toVisit(target, value, context);
    visits.set(value, visit);
  }
  return visit;
}

function toVisit(target: ValidateFunction, value: unknown, context: Context): Visit {
  const valid = target(value, context) as boolean;
  return { valid, errors: target.errors ?? NO_ERRORS, isTold: false };
}

const NO_ERRORS: readonly ErrorObject[] = [];

/** How a check with bound references ended. */
export interface Followed {
  readonly valid: boolean;
  /** What is wrong, each mistake once. */
  errors(): ErrorObject[];
}

/** Checks a value against a schema with bound references. */
export function followReferences(validate: ValidateFunction, value: unknown): Followed {
  const own = new Run();
  run = own;
  try {
    const valid = validate(value) as boolean;
    const errors = validate.errors ?? NO_ERRORS;
    return { valid, errors: () => (valid ? [] : collect(errors, own)) };
  } finally {
    run = new Run();
  }
}

function collect(errors: readonly ErrorObject[], { failures }: Run): ErrorObject[] {
  const visits = new Map(failures.map(({ reference, path, visit }) => [`${reference} ${path}`, visit]));
  const collected: ErrorObject[] = [];
  const add = (error: ErrorObject): void => {
    if (error.keyword !== REFERENCE) return void collected.push(error);
    const visit = visits.get(`${error.params.reference} ${error.instancePath}`);
    if (visit === undefined || visit.isTold) return;
    visit.isTold = true;
    visit.errors.forEach(add);
  };
  errors.forEach(add);
  return collected;
}
