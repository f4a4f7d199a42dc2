import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import type { InvalidInput } from '../referee/generate-input.ts';
import { isSimple } from './is-simple.ts';
import { answer, type Questions } from './questions.ts';
import { SchemaThread, Unanswered } from './schema-thread.ts';

// The first answer waits for the thread, which on a busy machine takes seconds to begin.
const START_MS = 10_000;
const ANSWER_MS = 1_000;

// A server with more schemas like that is hostile, and would cost a second for each.
const MOST_COSTLY = 3;

/**
 * The schemas of a server that nobody knows. A pattern may backtrack for years, and a few definitions stand for millions of
 * others: they are evaluated in a thread of their own, which is ended at a deadline. A schema that takes too long is one that
 * says nothing.
 */
export class ForeignSchemas implements Disposable {
  readonly #costly = new Set<string>();
  #thread: SchemaThread | undefined;

  /** A small input that a schema allows, or undefined if none could be made. */
  input(schema: JsonObject | null): JsonObject | undefined {
    return schema === null ? {} : this.#ask('input', schema);
  }

  /** One with a long text in it, or undefined if the schema has no place for one. */
  longInput(schema: JsonObject | null): JsonObject | undefined {
    return schema === null ? undefined : this.#ask('longInput', schema);
  }

  /** Inputs that a schema does not allow. */
  invalidInputs(schema: JsonObject | null): InvalidInput[] {
    return (schema === null ? undefined : this.#ask('invalidInputs', schema)) ?? [];
  }

  /** Which of these values a schema allows; none of them if it takes too long to say. */
  allowed(schema: JsonObject, values: readonly JsonValue[]): boolean[] {
    return this.#ask('allowed', schema, values) ?? values.map(() => false);
  }

  /** What is wrong with a schema, or undefined if nothing is. */
  problem(schema: JsonObject): string | undefined {
    return (
      this.#ask('problem', schema) ?? (this.isCostly(schema) ? `it takes more than ${ANSWER_MS} ms to use` : undefined)
    );
  }

  /** What a schema finds wrong with a value, or undefined; the server will look, too. */
  mistakes(schema: JsonObject, value: JsonValue): string | undefined {
    return this.#ask('mistakes', schema, value);
  }

  /** Whether a schema has taken too long, or was not tried because too many others have. */
  isCostly(schema: JsonObject): boolean {
    return this.#costly.size >= MOST_COSTLY || this.#costly.has(JSON.stringify(schema));
  }

  [Symbol.dispose](): void {
    this.#thread?.[Symbol.dispose]();
    this.#thread = undefined;
  }

  #ask<Name extends keyof Questions>(
    question: Name,
    ...args: Parameters<Questions[Name]>
  ): ReturnType<Questions[Name]> | undefined {
    const [schema] = args as unknown as [JsonObject];
    // Beginning a thread takes longer than most schemas do.
    if (isSimple(schema)) return answer(question, args);
    if (this.isCostly(schema)) return undefined;
    try {
      return this.#begin().ask({ question, args }, ANSWER_MS) as ReturnType<Questions[Name]>;
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown;
      this.#costly.add(JSON.stringify(schema));
      this[Symbol.dispose]();
      return undefined;
    }
  }

  #begin(): SchemaThread {
    if (this.#thread === undefined) {
      this.#thread = new SchemaThread();
      this.#thread.ask({ question: 'problem', args: [{}] }, START_MS);
    }
    return this.#thread;
  }
}
