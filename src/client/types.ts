import type { Environment, InputOf, TaskInput } from '../core/index.ts';
import type { JsonObject, WireBlock } from '../protocol/index.ts';

/** The tools of an environment and their schemas, as its type has them; anything where the type says nothing. */
export type InputsOf<Env> = Env extends Environment<any, any, any, infer Inputs> ? Inputs : Record<string, any>;

/** A task as it travels. */
export type TaskOf<Env> =
  Env extends Environment<infer Schema, infer Listed, any, any>
    ? unknown extends Schema
      ? Listed
      : TaskInput<Schema>
    : JsonObject;

/** The input of a call, which may be left out where nothing is required, and what comes after it. */
export type InputArguments<Input, Rest extends readonly unknown[] = []> = {} extends Input
  ? [input?: Input, ...Rest]
  : [input: Input, ...Rest];

/** What a tool of an environment takes. */
export type ToolInput<Env, Name extends keyof InputsOf<Env>> = InputOf<InputsOf<Env>[Name]>;

/** What one call gave. */
export interface CallResult {
  readonly blocks: readonly WireBlock[];
  /** The text of all text blocks. */
  readonly text: string;
  /** Null where the step has no reward, which is not the same as 0. */
  readonly reward: number | null;
  /** True: the episode is over. */
  readonly finished: boolean;
  readonly metadata: JsonObject | null;
  /** The id of the call, for logs. */
  readonly taskId: string;
  /** A call that ends otherwise is an error, which has an outcome too. */
  readonly outcome: 'returned';
}
