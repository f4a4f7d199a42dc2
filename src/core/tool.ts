import type { JsonValue } from '../protocol/index.ts';
import type { Block } from './content.ts';
import type { Effects } from './durability.ts';
import type { EpisodeLog } from './log.ts';
import type { Secrets } from './redact.ts';
import type { OutputOf } from './schema.ts';
import type { Step } from './step.ts';

/** A value, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Chance that can be repeated: the same seed gives the same numbers. */
export interface Chance {
  /** A whole number that belongs to the episode, also after a crash; outside episodes it is made from `callId`. */
  readonly seed: number;
  /**
   * The next of a row of numbers from 0 up to, but not including, 1. Setup, the prompt and each call have a row of their own, made
   * from `seed` and, in a call, `callId`: neither the order of calls nor a crash changes it.
   */
  readonly random: () => number;
}

/** What every tool gets besides its input, whichever protocol the call came by. */
export interface ToolContext extends Chance {
  /** The id of this call: the same when it is run again. Unique within its episode; over OXP, within its caller. */
  readonly callId: string;
  /** 1, or more if the process that ran this call before has ended before the call did. */
  readonly attempt: number;
  /** The user on whose behalf the caller acts, if it names one (OXP). */
  readonly userId?: string | undefined;
  /** Tokens of the user's authorizations, by id (OXP). */
  readonly authorization?: Readonly<Record<string, string>> | undefined;
  /** The id under which the caller traces this call (OXP). */
  readonly traceId?: string | undefined;
  /** Aborted when the call is no longer wanted: its time is up, or its session ends. */
  readonly signal: AbortSignal;
  /** What the caller gave for this episode or call, such as API keys. */
  readonly secrets: Secrets;
  readonly log: EpisodeLog;
}

/**
 * What a tool may return: text, blocks, any JSON value, or a step with a reward. Not `undefined`, because a forgotten
 * `return` would never pay; a tool with nothing to say returns `''` or `null`.
 */
// No `then`: every promise is an object, also one of nothing, and an async tool without a `return` would pass.
export type ToolReturn = Block | readonly Block[] | JsonValue | Step | (object & { readonly then?: never });

/** What a tool needs from its caller before it can run. */
export interface ToolRequirements {
  /** Names of secrets that must be given. */
  readonly secrets?: readonly string[];
  /** Whether the caller must name the user on whose behalf it acts. */
  readonly userId?: boolean;
  /** Authorizations of the user that must be given. */
  readonly authorization?: readonly ToolAuthorization[];
}

/** An authorization that a tool needs from the user. */
export interface ToolAuthorization {
  readonly id: string;
  /** Where the user can grant it; told to callers who lack it. */
  readonly url: string;
  readonly oauth2?: { readonly scopes?: readonly string[] };
}

/** What programs of agents may be told of a tool, so that they know when to ask a person first (MCP). */
export interface ToolAnnotations {
  /** A name for people. */
  readonly title?: string;
  /** Whether it changes nothing. */
  readonly readOnlyHint?: boolean;
  /** Whether it may destroy something outside of its episode. Default: false. */
  readonly destructiveHint?: boolean;
  /** Whether a second call with the same input changes nothing more. */
  readonly idempotentHint?: boolean;
  /** Whether it reaches into the world outside. Default: false. */
  readonly openWorldHint?: boolean;
}

/** What a tool is made of, apart from what it does. */
export interface ToolOptions<Input, Output> {
  /** What the tool does and when to call it; the model reads this. */
  readonly description?: string;
  /** The schema of its input; leave it out for a tool without parameters. */
  readonly input?: Input & object;
  /** The schema of the value it returns; checked, and published over OXP. */
  readonly output?: Output & object;
  /** The version over OXP, such as 1.0.0. */
  readonly version?: string;
  /** False: only in episodes whose task lists it (see `taskTools`). */
  readonly shared?: boolean;
  /** True: calls of this tool in one episode may overlap; otherwise they run one after the other. */
  readonly concurrent?: boolean;
  /** How long one call may take. */
  readonly timeoutMs?: number;
  /** Whether a call that took too long may be tried again (OXP tells the caller). */
  readonly canRetry?: boolean;
  /** The most text one call may return; what is beyond is cut, and the output says so. */
  readonly maxOutputBytes?: number;
  /** What callers must give before it can run. */
  readonly requirements?: ToolRequirements;
  /** Scopes a caller must have to see and call this tool over OXP. */
  readonly scopes?: readonly string[];
  /**
   * What a call does besides its result, which says whether it may be run again after a crash. Default: `state` in an environment,
   * `external` in a toolkit.
   */
  readonly effects?: Effects;
  /** What is told of it over MCP, where the defaults are not true. */
  readonly annotations?: ToolAnnotations;
}

/** A tool that stands alone: usable in toolkits and in environments. */
export interface Tool<Input = unknown, Output = unknown> extends ToolOptions<Input, Output> {
  /** Runs one call, with an input that fits the schema. */
  run(input: OutputOf<Input>, context: ToolContext): Awaitable<ToolReturn>;
}

/** What tool() takes: a tool that finds in its context what its `requirements` ask for. */
export interface ToolWithRequirements<Input, Output, Secret extends string, User extends boolean, Id extends string>
  extends ToolOptions<Input, Output> {
  readonly requirements?: {
    readonly secrets?: readonly Secret[];
    readonly userId?: User;
    readonly authorization?: readonly (ToolAuthorization & { readonly id: Id })[];
  };
  /** Runs one call, with an input that fits the schema and whatever `requirements` ask for. */
  run(input: OutputOf<Input>, context: ToolContext & Given<Secret, User, Id>): Awaitable<ToolReturn>;
}

/** What is certain to be in the context of a tool, because the tool does not run without. */
type Given<Secret extends string, User extends boolean, Id extends string> = {
  readonly secrets: Readonly<Record<Secret, string>>;
} & (User extends true ? { readonly userId: string } : unknown) &
  // Neither where none is required, nor where TypeScript does not know which.
  ([Id] extends [never]
    ? unknown
    : string extends Id
      ? unknown
      : { readonly authorization: Readonly<Record<Id, string>> });
