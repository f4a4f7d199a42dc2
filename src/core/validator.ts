import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../protocol/index.ts';
import { isLarge } from './depth.ts';
import { DefinitionError, toError } from './errors.ts';
import { type Problem, toProblems } from './problems.ts';
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

function toValidator(schema: JsonObject, where: string, lenient: boolean): Validator {
  const quick = compile(schema, where, { allErrors: false });
  // Collecting every error costs more and is only wanted when there is one.
  let thorough: ValidateFunction | undefined;
  const errorsOf = (value: unknown): ErrorObject[] => {
    thorough ??= compile(schema, where, { allErrors: true });
    return thorough(value) ? [] : (thorough.errors ?? []);
  };
  return (value) => {
    try {
      if (quick(value)) return { ok: true, value };
      // A body has room for millions of mistakes, and collecting them all would take minutes.
      if (isLarge(value)) return { ok: false, problems: toProblems(quick.errors ?? []) };
      const errors = lenient ? repair(value, errorsOf) : errorsOf(value);
      return errors.length === 0 ? { ok: true, value } : { ok: false, problems: toProblems(errors) };
    } catch (thrown) {
      // Nesting deeper than the stack, against a schema that refers to itself.
      if (thrown instanceof RangeError) return { ok: false, problems: [{ path: [], message: 'Is nested too deeply' }] };
      throw thrown;
    }
  };
}

function compile(schema: JsonObject, where: string, { allErrors }: { allErrors: boolean }): ValidateFunction {
  try {
    return engineFor(schema, allErrors ? 'thorough' : 'quick').compile(schema);
  } catch (thrown) {
    throw new DefinitionError(`${where} is not a valid JSON Schema: ${toError(thrown).message}`, { cause: thrown });
  }
}

function engineFor(schema: JsonObject, mode: 'quick' | 'thorough'): Ajv {
  const isDraft07 = typeof schema.$schema === 'string' && schema.$schema.includes('draft-07');
  const make = () => withUniqueItems(new (isDraft07 ? Ajv : Ajv2020)({ ...options, allErrors: mode === 'thorough' }));
  // An engine takes each $id once, and two tools may use the same.
  if ('$id' in schema) return make();
  const key = `${isDraft07} ${mode}`;
  const engine = engines.get(key) ?? make();
  engines.set(key, engine);
  return engine;
}
