import { DefinitionError, formatProblems, validatorOf } from '../../core/index.ts';
import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { accepts, problemOf } from '../referee/accepts.ts';
import {
  generateInput,
  generateInvalidInputs,
  generateLongInput,
  type InvalidInput,
} from '../referee/generate-input.ts';

/** What can be asked of a schema; all of it is plain data, since the answer comes from another thread. */
export interface Questions {
  /** A small input that it allows, or undefined if none could be made. */
  input(schema: JsonObject | null): JsonObject | undefined;
  /** One with a long text in it. */
  longInput(schema: JsonObject | null): JsonObject | undefined;
  invalidInputs(schema: JsonObject | null): InvalidInput[];
  /** Which of these values it allows. */
  allowed(schema: JsonObject, values: readonly JsonValue[]): boolean[];
  /** What is wrong with the schema itself. */
  problem(schema: JsonObject): string | undefined;
  /** What it finds wrong with a value, in words for a person; nothing if it is no schema that can be used. */
  mistakes(schema: JsonObject, value: JsonValue): string | undefined;
}

/** Answers a question about a schema, however long it takes. */
export function answer<Name extends keyof Questions>(
  question: Name,
  args: Parameters<Questions[Name]>,
): ReturnType<Questions[Name]> {
  return (ANSWERS[question] as (...args: unknown[]) => ReturnType<Questions[Name]>)(...args);
}

const ANSWERS: Questions = {
  input: generateInput,
  longInput: generateLongInput,
  invalidInputs: generateInvalidInputs,
  allowed(schema, values) {
    const isAllowed = accepts(schema);
    return values.map((value) => isAllowed(value));
  },
  problem: problemOf,
  mistakes(schema, value) {
    try {
      // A copy: the check writes defaults into what it is given.
      const checked = validatorOf(schema, 'a schema of the server', { lenient: false })(structuredClone(value));
      return checked.ok ? undefined : formatProblems(checked.problems);
    } catch (thrown) {
      if (thrown instanceof DefinitionError) return undefined;
      throw thrown;
    }
  },
};
