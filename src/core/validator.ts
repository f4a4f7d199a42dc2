import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../protocol/index.ts';
import { isLarge } from './depth.ts';
import { byDiscriminators } from './discriminators.ts';
import { DefinitionError, toError } from './errors.ts';
import { type Problem, toProblems } from './problems.ts';
import { type BoundSchema, bindReferences, followReferences, isBranching, withReferences } from './references.ts';
import { repair } from './repair.ts';
import { withUniqueItems } from './unique-items.ts';

/** The result of a check: the value as the tool sees it, or what is wrong with it. */
export type Checked<Value = unknown> = { ok: true; value: Value } | { ok: false; problems: Problem[] };

/** Checks a value that the caller no longer needs: defaults and repairs are written into it. */
export type Validator = (value: unknown) => Checked;

/** How strictly values are taken. */
export interface ValidatorOptions {
  /** Whether "42" passes for a number and null for an absent optional, as they do with pydantic. */
  lenient: boolean;
}

const options: Options = {
  strict: false, // authors may add keywords of their own
  useDefaults: true,
  ownProperties: true, // a parameter may be called `constructor` or `toString`
  validateFormats: false, // JSON Schema 2020-12 takes `format` as a note, not as a rule
  logger: false,
};

// Compiled validators by schema text: Ajv keeps what it compiled for ever, so each schema is compiled once.
const compiled = new Map<string, Validator>();

// Ajv itself takes milliseconds to make, so one for each dialect and thoroughness.
const engines = new Map<string, Ajv>();

/** The validator of a JSON Schema; `where` names the place in an error message. */
export function validatorOf(schema: JsonObject, where: string, { lenient }: ValidatorOptions): Validator {
  const key = `${lenient ? 'lenient' : 'strict'} ${JSON.stringify(schema)}`;
  let validator = compiled.get(key);
  if (validator === undefined) {
    validator = toValidator(schema, where, lenient);
    compiled.set(key, validator);
  }
  return validator;
}

// An engine keeps what it was given under its key, also if it could not compile it.
let keys = 0;

function newKey(): string {
  keys += 1;
  return `tiltyard:${keys}`;
}

function toValidator(schema: JsonObject, where: string, lenient: boolean): Validator {
  const bound = bindReferences(byDiscriminators(schema), newKey());
  // Without branches it passes each place once anyway, and quicker.
  const quick = compile(isBranching(schema) ? bound : { ...bound, schema, references: [] }, where, 'quick');
  // Collecting every error costs more and is only wanted when there is one.
  let thorough: Engine | undefined;
  const errorsOf = (value: unknown): ErrorObject[] => {
    thorough ??= compile(bound, where, 'thorough');
    return thorough.errorsOf(value);
  };
  return (value) => {
    try {
      if (quick.isValid(value)) return { ok: true, value };
      // A body has room for millions of mistakes, and collecting them all would take minutes.
      if (isLarge(value)) return { ok: false, problems: toProblems(quick.errorsOf(value)) };
      const errors = lenient ? repair(value, errorsOf) : errorsOf(value);
      return errors.length === 0 ? { ok: true, value } : { ok: false, problems: toProblems(errors) };
    } catch (thrown) {
      // Nesting deeper than the stack, against a schema that refers to itself.
      if (thrown instanceof RangeError) return { ok: false, problems: [{ path: [], message: 'Is nested too deeply' }] };
      throw thrown;
    }
  };
}

/** A compiled schema. */
interface Engine {
  isValid(value: unknown): boolean;
  errorsOf(value: unknown): ErrorObject[];
}

function compile(bound: BoundSchema, where: string, mode: Mode): Engine {
  const validate = compileAs(bound, where, mode);
  if (bound.references.length > 0) {
    return {
      isValid: (value) => followReferences(validate, value).valid,
      errorsOf: (value) => withoutConditions(followReferences(validate, value).errors()),
    };
  }
  return {
    isValid: validate as (value: unknown) => boolean,
    errorsOf: (value) => (validate(value) ? [] : withoutConditions(validate.errors ?? [])),
  };
}

// What is wrong with a `then` or an `else` is told by itself.
function withoutConditions(errors: ErrorObject[]): ErrorObject[] {
  return errors.filter(({ keyword }) => keyword !== 'if');
}

function compileAs({ schema, key, references }: BoundSchema, where: string, mode: Mode): ValidateFunction {
  const engine = engineFor(schema, mode);
  try {
    if (references.length === 0) return engine.compile(schema);
    engine.addSchema(schema, key);
    // At once, so that a mistake behind a reference is found now and not by a call.
    for (const reference of references) engine.getSchema(reference);
    return engine.getSchema(key) as ValidateFunction;
  } catch (thrown) {
    throw new DefinitionError(`${where} is not a valid JSON Schema: ${toError(thrown).message}`, { cause: thrown });
  }
}

/** Whether an engine stops at the first error. */
type Mode = 'quick' | 'thorough';

function engineFor(schema: JsonObject, mode: Mode): Ajv {
  const isDraft07 = typeof schema.$schema === 'string' && schema.$schema.includes('draft-07');
  const make = () => {
    const engine = new (isDraft07 ? Ajv : Ajv2020)({ ...options, allErrors: mode === 'thorough' });
    return withReferences(withUniqueItems(engine));
  };
  // An engine takes each $id once, and two tools may use the same.
  if ('$id' in schema) return make();
  const key = `${isDraft07} ${mode}`;
  const engine = engines.get(key) ?? make();
  engines.set(key, engine);
  return engine;
}
