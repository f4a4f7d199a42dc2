import type { JsonObject, Split, ToolSpec } from '../protocol/index.ts';
import { type Check, toInputCheck } from './check.ts';
import { type CompiledTool, type CompileOptions, compileTool } from './compiled-tool.ts';
import type { Durability, Effects } from './durability.ts';
import type { Environment } from './environment.ts';
import { DefinitionError, EnvironmentError, TiltyardError } from './errors.ts';
import { DEFAULT_LIMITS } from './limit-values.ts';
import { formatProblems } from './problems.ts';
import type { Secrets } from './redact.ts';
import { assertObjectSchema } from './schema.ts';
import { inPages } from './task-pages.ts';
import { knownCount, type TaskSource, toTaskSource } from './tasks.ts';
import type { Awaitable, Tool, ToolAnnotations } from './tool.ts';
import type { Checked } from './validator.ts';

/** A compiled environment. */
export interface CatalogEnvironment {
  /** The canonical name: lower case. */
  readonly name: string;
  readonly definition: Environment;
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly sharedTools: readonly ToolSpec[];
  readonly allTools: readonly ToolSpec[];
  readonly splits: readonly Split[];
  /** How many tasks a split has, by its name, where that is known without running the author's code. */
  readonly taskCounts: Readonly<Record<string, number>>;
  /** The tasks of a split, or an error that lists the splits there are. */
  split(name: string): TaskSource;
  /** The names of the secrets without which no episode begins. */
  readonly requiredSecrets: readonly string[];
  readonly durability: Durability;
  /** By tool, where they are more than `state`. */
  readonly effects: Readonly<Record<string, Effects>>;
  /** By tool, where its author has given any. */
  readonly annotations: Readonly<Record<string, ToolAnnotations>>;
  readonly hasSetup: boolean;
  /** Throws if one of those is missing. */
  checkSecrets(secrets: Secrets): void;
  /** The task as the author's code sees it: checked, with defaults. */
  checkTask(task: JsonObject): Awaitable<unknown>;
}

/** The environments of one server, in the order they were given. */
export interface Catalog {
  readonly environments: readonly CatalogEnvironment[];
  /** An environment by name, case-insensitively; throws an error that lists the names. */
  find(name: string): CatalogEnvironment;
  /** The first environment: the default, for requests that name none. */
  readonly first: CatalogEnvironment;
}

/** Compiles environments, and finds mistakes that only show when they are served together. */
export function catalog(environments: readonly Environment[], options: CompileOptions = { lenient: true }): Catalog {
  const byName = new Map<string, CatalogEnvironment>();
  for (const definition of environments) {
    if (definition?.kind !== 'environment')
      throw new DefinitionError('environments must be made with environment({ ... })');
    const ready = compileEnvironment(definition, options);
    if (byName.has(ready.name)) {
      throw new DefinitionError(
        `two environments are named '${ready.name}' (names are case-insensitive). Rename one of them`,
      );
    }
    byName.set(ready.name, ready);
  }
  const list = [...byName.values()];
  const [first] = list;
  if (first === undefined) throw new DefinitionError('no environments to serve. Pass at least one');
  return {
    environments: list,
    first,
    find: environmentFinder(list),
  };
}

/** Finds environments by name, in any case; without one, the first. An error lists what there is. */
export function environmentFinder<Named extends { readonly name: string }>(
  environments: readonly Named[],
): (name?: string) => Named {
  const byName = new Map(environments.map((each) => [each.name, each]));
  const [first] = environments;
  return (name) => {
    const found = name === undefined ? first : (byName.get(name) ?? byName.get(name.toLowerCase()));
    if (found !== undefined) return found;
    const available = [...byName.keys()].join(', ');
    throw new TiltyardError('unknown_environment', `unknown environment '${name}' (available: ${available})`);
  };
}

function compileEnvironment(definition: Environment, options: CompileOptions): CatalogEnvironment {
  const where = `environment '${definition.name}'`;
  const tools = new Map(
    Object.entries(definition.tools).map(([name, tool]) => [
      name,
      compileTool(name, tool as never, `${where}, tool '${name}'`, options),
    ]),
  );
  const { maxTasksPerPage } = options.limits ?? DEFAULT_LIMITS;
  const sources = new Map(
    Object.entries(definition.splits).map(([name, split]) => [
      name,
      inPages(name, toTaskSource(name, split), maxTasksPerPage),
    ]),
  );
  const taskCheck =
    definition.task === undefined
      ? undefined
      : toInputCheck(definition.task, `${where}: its task`, { ...options, lenient: false });
  const requiredSecrets = definition.requirements?.secrets ?? [];
  if (taskCheck !== undefined) assertObjectSchema(taskCheck.jsonSchema, `${where}: its task`);
  return {
    name: definition.name.toLowerCase(),
    definition,
    tools,
    sharedTools: specs(tools, ({ shared }) => shared),
    allTools: specs(tools, () => true),
    splits: Object.entries(definition.splits).map(([name, split]) =>
      toSplit(name, (split as { type?: Split['type'] }).type),
    ),
    taskCounts: toTaskCounts(definition),
    split(name) {
      const source = sources.get(name);
      if (source === undefined) {
        throw new TiltyardError(
          'unknown_split',
          `unknown split '${name}' (${definition.name} has ${[...sources.keys()].join(', ')})`,
        );
      }
      return source;
    },
    requiredSecrets,
    durability: definition.durability ?? 'none',
    effects: toEffects(definition),
    annotations: toAnnotations(definition),
    hasSetup: definition.setup !== undefined,
    checkSecrets(secrets) {
      const missing = requiredSecrets.filter((name) => !Object.hasOwn(secrets, name));
      if (missing.length === 0) return;
      const [noun, them] = missing.length === 1 ? ['secret', 'it'] : ['secrets', 'them'];
      throw new TiltyardError(
        'missing_secrets',
        `environment '${definition.name}' requires the ${noun} ${missing.join(', ')}. Send ${them} in 'secrets', or as X-Secrets`,
      );
    },
    checkTask: (task) => (taskCheck === undefined ? task : checkTask(taskCheck, task)),
  };
}

function specs(tools: ReadonlyMap<string, CompiledTool>, wanted: (tool: CompiledTool) => boolean): ToolSpec[] {
  return [...tools.values()].filter(wanted).map(({ spec }) => spec);
}

function toSplit(name: string, type: Split['type'] | undefined): Split {
  if (type !== undefined) return { name, type };
  return { name, type: name === 'train' || name === 'test' ? name : 'validation' };
}

function toTaskCounts({ splits }: Environment): Record<string, number> {
  const counts = Object.entries(splits).map(([name, split]) => [name, knownCount(split)] as const);
  return Object.fromEntries(counts.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

function toAnnotations({ tools }: Environment): Record<string, ToolAnnotations> {
  const named = Object.entries(tools as Record<string, Tool>).map(([name, tool]) => [name, tool.annotations] as const);
  return Object.fromEntries(named.filter((entry): entry is [string, ToolAnnotations] => entry[1] !== undefined));
}

function toEffects({ tools }: Environment): Record<string, Effects> {
  const effects = Object.entries(tools as Record<string, Tool>).map(([name, tool]) => [name, tool.effects] as const);
  return Object.fromEntries(
    effects.filter((entry): entry is [string, Effects] => entry[1] !== undefined && entry[1] !== 'state'),
  );
}

async function checkTask(check: Check, task: JsonObject): Promise<unknown> {
  let checked: Checked;
  try {
    checked = await check.check(task);
  } catch (thrown) {
    throw new EnvironmentError('environment_failed', 'the task schema threw', { thrown });
  }
  if (checked.ok) return checked.value;
  throw new TiltyardError(
    'invalid_task',
    `the task does not match the environment's schema: ${formatProblems(checked.problems)}`,
  );
}
