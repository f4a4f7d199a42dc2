import { isObject, type JsonObject, type SplitType } from '../protocol/index.ts';
import { describe } from './content.ts';
import { EnvironmentError, TiltyardError } from './errors.ts';
import type { Awaitable } from './tool.ts';

/** Tasks in memory, or a function that loads them when they are first wanted. */
export type TaskList<Task> = readonly Task[] | (() => Awaitable<readonly Task[]>);

/** One split: a list, a list with a type, or tasks made by index that are never held in memory together. */
export type SplitDefinition<Task> =
  | TaskList<Task>
  | { readonly type?: SplitType; readonly tasks: TaskList<Task>; readonly count?: number }
  | {
      readonly type?: SplitType;
      /** How many tasks there are. */
      readonly count: number | (() => Awaitable<number>);
      /** Makes or reads one task; throw a `RangeError` for a bad index. */
      get(index: number): Awaitable<Task>;
    };

/** The tasks of one split, however the author gave them. */
export interface TaskSource {
  count(): Awaitable<number>;
  get(index: number): Awaitable<JsonObject>;
  /** Tasks from start to stop, as a Python slice: negative bounds count from the end, none is out of range. */
  range(start: number | undefined, stop: number | undefined): Promise<JsonObject[]>;
  /** All tasks; refused where the author gave only access by index. */
  list(): Awaitable<readonly JsonObject[]>;
}

// Enough to keep a remote store busy, few enough not to flood it.
const PARALLEL_GETS = 32;

/** The tasks of a split; `name` is the split's, for messages. */
export function toTaskSource(name: string, split: SplitDefinition<unknown>): TaskSource {
  if (isObject(split) && 'get' in split)
    return indexed(name, split.count as CountDefinition, (index) => split.get(index));
  const list = (isObject(split) ? split.tasks : split) as TaskList<unknown>;
  const count = isObject(split) && 'count' in split ? (split.count as number) : undefined;
  return listed(name, list, count);
}

/** How many tasks a split has, if that is known without running the author's code. */
export function knownCount(split: SplitDefinition<unknown>): number | undefined {
  if (!isObject(split)) return Array.isArray(split) ? split.length : undefined;
  if ('count' in split) return typeof split.count === 'number' ? split.count : undefined;
  return 'tasks' in split ? knownCount(split.tasks) : undefined;
}

/** Whether a value can be the number of tasks. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

type CountDefinition = number | (() => Awaitable<number>);

function listed(name: string, tasks: TaskList<unknown>, known: number | undefined): TaskSource {
  const load = once(async () => {
    const loaded = await guard(name, () => (typeof tasks === 'function' ? tasks() : tasks));
    if (!Array.isArray(loaded)) throw badTasks(name, `its tasks must be an array, not ${describe(loaded)}`);
    return loaded as readonly unknown[];
  });
  const at = (all: readonly unknown[], index: number) => toTask(name, index, all[assertIndex(name, index, all.length)]);
  return {
    count: () => known ?? load().then((all) => all.length),
    // An array in memory needs no promise; a function is called once, on first use.
    get: (index) => (typeof tasks === 'function' ? load().then((all) => at(all, index)) : at(tasks, index)),
    async range(start, stop) {
      const all = await load();
      const [from, to] = slice(start, stop, all.length);
      return all.slice(from, to).map((task, offset) => toTask(name, from + offset, task));
    },
    list: async () => (await load()).map((task, index) => toTask(name, index, task)),
  };
}

function indexed(name: string, count: CountDefinition, read: (index: number) => unknown): TaskSource {
  const total = typeof count === 'number' ? () => count : once(async () => toCount(name, await guard(name, count)));
  const get = async (index: number) => toTask(name, index, await readAt(name, index, read));
  return {
    count: total,
    get: async (index) => get(assertIndex(name, index, await total())),
    async range(start, stop) {
      const [from, to] = slice(start, stop, await total());
      const tasks: JsonObject[] = [];
      for (let at = from; at < to; at += PARALLEL_GETS) {
        const page = Array.from({ length: Math.min(PARALLEL_GETS, to - at) }, (_, offset) => get(at + offset));
        tasks.push(...(await Promise.all(page)));
      }
      return tasks;
    },
    list() {
      throw new TiltyardError(
        'not_listable',
        `split '${name}' cannot list its tasks: use the index-based API (num_tasks, task, task_range)`,
      );
    },
  };
}

/** The bounds of a Python slice over `total` things, both from 0 to `total`. */
export function slice(start: number | undefined, stop: number | undefined, total: number): [from: number, to: number] {
  const clamp = (bound: number) => Math.min(total, Math.max(0, bound < 0 ? total + bound : bound));
  return [clamp(start ?? 0), clamp(stop ?? total)];
}

function assertIndex(name: string, index: number, total: number): number {
  if (Number.isInteger(index) && index >= 0 && index < total) return index;
  throw new TiltyardError('bad_index', `no task ${index} in split '${name}' (it has ${total})`);
}

function toTask(name: string, index: number, task: unknown): JsonObject {
  if (isObject(task)) return task as JsonObject;
  throw badTasks(name, `task ${index} must be an object, not ${describe(task)}`);
}

function toCount(name: string, count: unknown): number {
  if (isCount(count)) return count;
  throw badTasks(name, `its count must be a whole number, not ${describe(count)}`);
}

function badTasks(name: string, problem: string): EnvironmentError {
  const message = `split '${name}': ${problem}`;
  return new EnvironmentError('environment_failed', message, { thrown: new TypeError(message) });
}

/** Runs an author's loader. */
async function guard<Value>(name: string, load: () => Value): Promise<Awaited<Value>> {
  try {
    return await load();
  } catch (thrown) {
    throw unreadable(name, thrown);
  }
}

/** Reads one task; a RangeError is the author's way to say that the index is bad. */
async function readAt(name: string, index: number, read: (index: number) => unknown): Promise<unknown> {
  try {
    return await read(index);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw unreadable(name, thrown);
    throw new TiltyardError('bad_index', `split '${name}': ${thrown.message}`, { cause: thrown });
  }
}

function unreadable(name: string, thrown: unknown): EnvironmentError {
  return new EnvironmentError('environment_failed', `the tasks of split '${name}' could not be read`, { thrown });
}

/** One shared load for all who ask; a failed one is tried again by the next. */
function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}
