import type { JsonObject } from '../protocol/index.ts';
import { excessOf, isLarge, MAX_DEPTH } from './depth.ts';
import { DEFAULT_LIMITS } from './limit-values.ts';
import type { Limits } from './limits.ts';
import type { Problem } from './problems.ts';
import { isStandardSchema, type StandardSchema, toJsonSchema } from './schema.ts';
import type { Awaitable } from './tool.ts';
import { type Checked, type ValidatorOptions, validatorOf } from './validator.ts';

/** A compiled schema: how it is published, and how values are checked against it. */
export interface Check {
  readonly jsonSchema: JsonObject;
  /** Takes ownership of the value: defaults and repairs are written into it. `characters` is how long its JSON is, if known. */
  check(value: unknown, characters?: number): Awaitable<Checked>;
}

/** How inputs are checked. */
export interface InputOptions extends ValidatorOptions {
  /** Default: the server's default. */
  readonly limits?: Pick<Limits, 'maxInputValues'>;
}

/** Compiles the schema of an input. JSON Schema first, because it repairs; the library has the last word. */
export function toInputCheck(schema: object, where: string, options: InputOptions): Check {
  const jsonSchema = toJsonSchema(schema, where);
  const { maxInputValues } = options.limits ?? DEFAULT_LIMITS;
  const validate = validatorOf(jsonSchema, where, options);
  const isStandard = isStandardSchema(schema);
  // Each level and each value takes a character at least.
  const harmless = Math.min(MAX_DEPTH, maxInputValues);
  return {
    jsonSchema,
    check(value, characters = Number.POSITIVE_INFINITY) {
      // First, because a stack overflow in a library or a tool would count as a failure of the environment, and a library
      // that collects millions of mistakes would end the process.
      const excess = characters <= harmless ? undefined : excessOf(value, maxInputValues);
      if (excess !== undefined) return excess === 'depth' ? TOO_DEEP : tooManyValues(maxInputValues);
      const checked = validate(value);
      if (!isStandard) return checked;
      if (checked.ok) return runStandard(schema, checked.value);
      // Libraries collect every mistake, and a body has room for millions.
      return isLarge(value) ? checked : reconsider(schema, value, checked);
    },
  };
}

const TOO_DEEP: Checked = { ok: false, problems: [{ path: [], message: 'Is nested too deeply' }] };

function tooManyValues(most: number): Checked {
  const message = `Must have at most ${most} values in all, and fewer if they are nested deeply (limit maxInputValues)`;
  return { ok: false, problems: [{ path: [], message }] };
}

/** Compiles the schema of a tool's output. */
export function toOutputCheck(schema: object, where: string): Check {
  const jsonSchema = toJsonSchema(schema, where, 'output');
  if (!isStandardSchema(schema)) return { jsonSchema, check: validatorOf(jsonSchema, where, { lenient: false }) };
  return { jsonSchema, check: (value) => runStandard(schema, value) };
}

// JSON Schema can be stricter than the author meant: it has no pattern flags, and cannot trim before it checks a length.
function reconsider(schema: StandardSchema, value: unknown, refused: Checked): Awaitable<Checked> {
  // Not as problems: nobody reads them, and some libraries write a message only when it is asked for.
  const decide = (result: StandardResult): Checked =>
    result.issues === undefined ? { ok: true, value: result.value } : refused;
  try {
    const result = schema['~standard'].validate(value);
    return result instanceof Promise ? result.then(decide, () => refused) : decide(result);
  } catch {
    return refused; // The library chokes on what JSON Schema refused, such as endless nesting.
  }
}

function runStandard(schema: StandardSchema, value: unknown): Awaitable<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(toChecked) : toChecked(result);
}

type StandardResult = Awaited<ReturnType<StandardSchema['~standard']['validate']>>;

function toChecked(result: StandardResult): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  const problems: Problem[] = [];
  for (const issue of result.issues) if (problems.push(toProblem(issue)) === MAX_PROBLEMS) break;
  return { ok: false, problems };
}

// Nobody reads as many, and each has the whole path to its place.
const MAX_PROBLEMS = 1_000;

function toProblem({ message, path = [] }: { message: string; path?: StandardPath }): Problem {
  // Array.from: a library may bring arrays of its own, whose map() gives something else.
  return { message, path: Array.from(path, (part) => String(typeof part === 'object' ? part.key : part)) };
}

type StandardPath = readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
