import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ACTION_ALIASES, ENVIRONMENT_ACTIONS, isObject, type JsonObject, ROOT_PATHS } from '../protocol/index.ts';
import { type Content, describe } from './content.ts';
import { withPlace } from './definition-order.ts';
import { DURABILITIES, type Durability } from './durability.ts';
import { DefinitionError } from './errors.ts';
import { assertKnownKeys } from './known-keys.ts';
import type { EpisodeLog } from './log.ts';
import type { Secrets } from './redact.ts';
import { aName, assertDefinition, listOf, objectOf, oneOf } from './rules.ts';
import type { OutputOf } from './schema.ts';
import { isCount, type SplitDefinition } from './tasks.ts';
import type { Awaitable, Chance, ToolContext, ToolOptions, ToolReturn } from './tool.ts';
import { assertTool } from './tool-rules.ts';

/** What an environment needs of those who begin an episode. */
export interface EnvironmentRequirements<Secret extends string = string> {
  /** Names of secrets that must be given. */
  readonly secrets?: readonly Secret[];
}

/** What setup sees of an episode. */
export interface SetupContext<Task, Secret extends string = string> extends Chance {
  readonly task: Task;
  /** What the client gave; those that the environment requires are there. */
  readonly secrets: Secrets & Readonly<Record<Secret, string>>;
  /** Aborted when the session ends before its setup does. */
  readonly signal: AbortSignal;
  readonly log: EpisodeLog;
}

/** What `restore` sees of an episode that is built again. */
export interface RestoreContext<Task, Saved, Secret extends string = string> extends SetupContext<Task, Secret> {
  /** What `save` returned last, after a trip through JSON. */
  readonly saved: Saved;
}

/** What `save` sees of an episode. */
export interface SaveContext<Task, State> {
  readonly task: Task;
  readonly state: State;
  readonly log: EpisodeLog;
}

/** What the prompt sees of an episode. */
export interface PromptContext<Task, State> extends EpisodeContext<Task, State>, Chance {}

/** What the choice of tools sees of an episode. */
export interface EpisodeContext<Task, State> {
  readonly task: Task;
  readonly state: State;
}

/** What teardown sees; `state` is undefined when setup did not finish. */
export interface TeardownContext<Task, State> {
  readonly task: Task;
  readonly state: State | undefined;
  readonly log: EpisodeLog;
}

/** What a tool of an environment sees of its episode. */
export interface EpisodeToolContext<Task, State, Secret extends string = string> extends ToolContext {
  readonly task: Task;
  readonly state: State;
  /** What the client gave for the episode; those that the environment requires are there. */
  readonly secrets: Secrets & Readonly<Record<Secret, string>>;
}

/** A tool of an environment. */
export interface EnvironmentTool<Input, Task, State, Secret extends string = string>
  extends ToolOptions<Input, unknown> {
  /** Runs one call, with an input that fits the schema. */
  run(input: OutputOf<Input>, context: EpisodeToolContext<Task, State, Secret>): Awaitable<ToolReturn>;
}

/** The schema of a task: of a validation library, or plain JSON Schema. */
export type TaskSchema = StandardSchemaV1<any, any> | JsonObject;

/** What a task may be where it is written down or sent. */
export type TaskInput<Schema> = Schema extends StandardSchemaV1<infer Input, any> ? Input & object : object;

/** What the author's code sees of a task: what its schema gives, or what the splits hold where there is no such schema. */
export type TaskOutput<Schema, Listed> = Schema extends StandardSchemaV1<any, infer Output> ? Output : Listed;

/** What can be saved: what JSON can hold. Not `undefined`, which is most often a forgotten `return`. */
export type SavedState = string | number | boolean | null | (object & { readonly then?: never });

/** What an author writes; keys in the order of an episode's life, so that `state` is known where it is used. */
export interface EnvironmentDefinition<Schema, Listed, State, Inputs, Secret extends string = string, Saved = any> {
  /** Its name in the server's URLs. */
  readonly name: string;
  /** The schema of a task; every task is checked against it when its episode starts. */
  readonly task?: Schema & TaskSchema;
  /** Its tasks, by the names of their splits. */
  readonly splits: Readonly<Record<string, SplitDefinition<Listed>>>;
  /** What clients must give; without it no episode begins. */
  readonly requirements?: EnvironmentRequirements<Secret>;
  /** What of an episode survives the process that runs it. Default: `none`. */
  readonly durability?: Durability;
  /** Prepares the episode and returns its state. */
  setup?(context: SetupContext<TaskOutput<Schema, Listed>, NoInfer<Secret>>): Awaitable<State>;
  /** Where `durability` is `snapshot`: what of the state is kept, as JSON; asked for after setup and after each call. */
  save?(context: SaveContext<TaskOutput<Schema, Listed>, NoInfer<State>>): Awaitable<Saved>;
  /** Makes the state again from what `save` returned; runs instead of setup. */
  restore?(
    context: RestoreContext<TaskOutput<Schema, Listed>, NoInfer<Saved>, NoInfer<Secret>>,
  ): Awaitable<NoInfer<State>>;
  /** What the agent reads first; asked for once. */
  prompt(context: PromptContext<TaskOutput<Schema, Listed>, NoInfer<State>>): Awaitable<Content>;
  /** What the agent can do, by name. */
  readonly tools: {
    readonly [Name in keyof Inputs]: EnvironmentTool<
      Inputs[Name],
      TaskOutput<Schema, Listed>,
      NoInfer<State>,
      NoInfer<Secret>
    >;
  };
  /** Which of the tools with `shared: false` this task gets; all of them when left out. */
  taskTools?(
    context: EpisodeContext<TaskOutput<Schema, Listed>, NoInfer<State>>,
  ): Awaitable<readonly NoInfer<keyof Inputs>[]>;
  /** Releases what setup took; runs exactly once, also when setup failed. */
  teardown?(context: TeardownContext<TaskOutput<Schema, Listed>, NoInfer<State>>): Awaitable<void>;
}

/** An environment, ready to serve. Its types say what a client may send. */
export interface Environment<
  Schema = any,
  Listed = any,
  State = any,
  Inputs = any,
  Secret extends string = any,
  Saved = any,
> extends EnvironmentDefinition<Schema, Listed, State, Inputs, Secret, Saved> {
  readonly kind: 'environment';
}

/**
 * Asks for the keys that are missing, but only if all that are there are known: TypeScript infers nothing from a definition
 * that lacks one, so that a misspelt `prompt` would give ten errors, and none of them would name it.
 */
type Complete<Keys extends keyof Environment> = { readonly [Name in Keys]?: unknown } & {
  readonly [Name in Exclude<'name' | 'splits' | 'prompt' | 'tools', Keys>]: unknown;
};

/** Defines an environment. Mistakes that can be seen now are reported now. */
export function environment<
  Schema,
  Listed extends TaskInput<Schema>,
  State = undefined,
  Inputs = {},
  Secret extends string = string,
  Saved extends SavedState = SavedState,
  Keys extends keyof Environment = keyof Environment,
>(
  definition: Partial<EnvironmentDefinition<Schema, Listed, State, Inputs, Secret, Saved>> & Complete<Keys>,
): Environment<Schema, Listed, State, Inputs, Secret, Saved> {
  assertDefinition(definition, 'environment', '{ name, splits, prompt, tools }');
  const { name, requirements } = definition;
  // Before anything is missed: a misspelt key is most often the one that is missing.
  assertKnownKeys(definition, KEYS, typeof name === 'string' ? `environment '${name}'` : 'environment()');
  assertEnvironmentName(name);
  const where = `environment '${name}'`;
  if (typeof definition.prompt !== 'function')
    throw new DefinitionError(`${where} has no prompt. Add prompt({ task }) { ... }`);
  assertSplits(definition.splits, where);
  assertTools(definition.tools, where);
  for (const key of ['setup', 'save', 'restore', 'taskTools', 'teardown'] as const) {
    if (definition[key] !== undefined && typeof definition[key] !== 'function') {
      throw new DefinitionError(`${where}: ${key} must be a function`);
    }
  }
  if (requirements !== undefined) REQUIREMENTS(requirements, `${where}: requirements`);
  assertDurability(definition, where);
  return Object.freeze(withPlace({ ...definition, kind: 'environment' })) as Environment<
    Schema,
    Listed,
    State,
    Inputs,
    Secret,
    Saved
  >;
}

const REQUIREMENTS = objectOf({ optional: { secrets: listOf(aName, "['API_KEY']") } });

// `kind` is there when a definition is made from another environment.
const KEYS: readonly (keyof Environment)[] = [
  ...(['name', 'task', 'splits', 'requirements', 'durability', 'setup', 'save', 'restore', 'prompt'] as const),
  ...(['tools', 'taskTools', 'teardown', 'kind'] as const),
];

const DURABILITY = oneOf(DURABILITIES);

function assertDurability(definition: Partial<Environment>, where: string): void {
  const { durability, save, restore } = definition;
  if (durability !== undefined) DURABILITY(durability, `${where}: durability`);
  if (durability === 'snapshot') {
    if (save === undefined)
      throw new DefinitionError(
        `${where}: durability 'snapshot' needs save. Add save({ state }) { ... }, and return what JSON can hold`,
      );
    if (restore === undefined)
      throw new DefinitionError(
        `${where}: durability 'snapshot' needs restore. Add restore({ saved }) { ... }, and return the state`,
      );
    return;
  }
  for (const [key, value] of Object.entries({ save, restore })) {
    if (value !== undefined)
      throw new DefinitionError(`${where}: ${key} is never called. Add durability: 'snapshot', or remove ${key}`);
  }
}

const RESERVED = new Set([...ROOT_PATHS, ...ENVIRONMENT_ACTIONS, ...Object.keys(ACTION_ALIASES)]);

/** Refuses a name that cannot be part of the server's URLs. */
export function assertEnvironmentName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') throw new DefinitionError('an environment needs a name, such as "math"');
  if (/[\s/?#%\\\p{C}]/u.test(name) || name === '.' || name === '..') {
    throw new DefinitionError(
      `environment '${name}' cannot have that name: it is part of a URL, so no spaces and none of / \\ ? # %`,
    );
  }
  if (RESERVED.has(name.toLowerCase())) {
    throw new DefinitionError(
      `environment '${name}' cannot have that name: /${name} is a path of the server. Choose another`,
    );
  }
}

const SPLIT_KEYS = ['type', 'tasks', 'count', 'get'];

function assertSplits(splits: unknown, where: string): void {
  if (typeof splits !== 'object' || splits === null || Object.keys(splits).length === 0) {
    throw new DefinitionError(`${where} has no splits. Add at least one: splits: { train: [...] }`);
  }
  for (const [name, split] of Object.entries(splits)) {
    if (name === '') throw new DefinitionError(`${where} has a split without a name`);
    // An object of a class may have fields of its own.
    if (isObject(split) && Object.getPrototypeOf(split) === Object.prototype)
      assertKnownKeys(split, SPLIT_KEYS, `${where}, split '${name}'`);
    const type = split?.type;
    if (type !== undefined && !['train', 'validation', 'test'].includes(type)) {
      throw new DefinitionError(
        `${where}, split '${name}': the type must be train, validation or test, not ${JSON.stringify(type)}`,
      );
    }
    const list = Array.isArray(split) || typeof split === 'function' ? split : split?.tasks;
    const byIndex = typeof split?.get === 'function' && ['number', 'function'].includes(typeof split.count);
    if (!Array.isArray(list) && typeof list !== 'function' && !byIndex) {
      throw new DefinitionError(
        `${where}, split '${name}' must be an array of tasks, a function that returns one, { type, tasks }, or { type, count, get }`,
      );
    }
    const count = split?.count;
    if (count !== undefined && !isCount(count) && !(byIndex && typeof count === 'function')) {
      throw new DefinitionError(`${where}, split '${name}': the count must be a whole number, not ${describe(count)}`);
    }
  }
}

function assertTools(tools: unknown, where: string): void {
  if (!isObject(tools) || Object.keys(tools).length === 0) {
    throw new DefinitionError(
      `${where} has no tools. Add at least one to \`tools\`, by its name: agents act only through tools`,
    );
  }
  for (const [name, each] of Object.entries(tools)) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      throw new DefinitionError(
        `${where}: tool '${name}' needs a name of 1 to 64 letters, digits, _ or -, as model providers require`,
      );
    }
    if (name in Object.prototype)
      throw new DefinitionError(
        `${where}: tool '${name}' cannot have that name: every JavaScript object has a property named so`,
      );
    assertTool(each, `${where}, tool '${name}'`);
  }
}
