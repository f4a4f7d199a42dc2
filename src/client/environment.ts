import type { JsonValue, Split, ToolSpec } from '../protocol/index.ts';
import { readCount, readSecretNames, readSplits, readTask, readTasks, readTools } from './answers.ts';
import type { CallOptions } from './deadline.ts';
import type { Discovery } from './discovery.ts';
import { ClientError } from './errors.ts';
import { type ProviderFormat, type ProviderTools, type ToolsOptions, toProviderTools } from './formats/index.ts';
import type { SessionOptions } from './open-session.ts';
import type { Reader } from './reading.ts';
import { Session, type SessionContext } from './session.ts';
import type { TaskOf } from './types.ts';

// Enough to keep a trainer busy, few enough to hold in memory whatever a task is.
const PAGE = 100;

/** How a split is walked through. */
export interface WalkOptions {
  /** The first index; a negative one counts from the end. Default: 0. */
  readonly start?: number | undefined;
  /** One past the last index; a negative one counts from the end. Default: the end of the split. */
  readonly stop?: number | undefined;
  /** How many tasks are asked for at a time. Default: 100. */
  readonly pageSize?: number | undefined;
  /** Ends the walk. */
  readonly signal?: AbortSignal | undefined;
}

/** One environment of a server: its splits, tasks and tools, and its sessions. */
export class EnvironmentClient<Env = unknown> {
  /** Its name on the server. */
  readonly name: string;
  readonly #context: SessionContext;
  readonly #discovery: Discovery;

  constructor(name: string, context: Omit<SessionContext, 'environment'>, discovery: Discovery) {
    this.name = name;
    this.#context = { ...context, environment: name };
    this.#discovery = discovery;
  }

  /** The environment's splits, by name and type. */
  splits(options?: CallOptions): Promise<Split[]> {
    return this.#ask('splits', readSplits, undefined, options);
  }

  /** All tasks of a split at once; for large ones, `walk`. */
  async tasks(split: string, options?: CallOptions): Promise<TaskOf<Env>[]> {
    return (await this.#ask('tasks', readTasks, { split }, options)) as TaskOf<Env>[];
  }

  /** How many tasks a split has. */
  count(split: string, options?: CallOptions): Promise<number> {
    return this.#ask('num_tasks', readCount, { split }, options);
  }

  /** One task of a split, by its index. */
  async task(split: string, index: number, options?: CallOptions): Promise<TaskOf<Env>> {
    return (await this.#ask('task', readTask, { split, index }, options)) as TaskOf<Env>;
  }

  /** Tasks from start to stop, as a Python slice: negative bounds count from the end. */
  async range(split: string, start?: number, stop?: number, options?: CallOptions): Promise<TaskOf<Env>[]> {
    const bounds = { ...(start === undefined ? {} : { start }), ...(stop === undefined ? {} : { stop }) };
    return (await this.#ask('task_range', readTasks, { split, ...bounds }, options)) as TaskOf<Env>[];
  }

  /** The tasks of a split one by one, asked for by the page: a million of them need no memory. */
  async *walk(
    split: string,
    { start = 0, stop, pageSize = PAGE, signal }: WalkOptions = {},
  ): AsyncGenerator<TaskOf<Env>, void, undefined> {
    if (!(pageSize >= 1)) throw new RangeError(`pageSize must be at least 1, not ${pageSize}`);
    const count = await this.count(split, { signal });
    const place = (bound: number) => (bound < 0 ? Math.max(0, bound + count) : Math.min(bound, count));
    const end = place(stop ?? count);
    for (let at = place(start); at < end; ) {
      const upTo = Math.min(at + pageSize, end);
      const page = await this.range(split, at, upTo, { signal });
      // Without tasks the walk would go on for ever, with too many it would give some twice; a short page it goes on from.
      if (page.length === 0 || page.length > upTo - at) {
        const has = `the server says that split '${split}' has ${count} tasks`;
        throw new ClientError(`${has}, and sent ${page.length} when asked for those from ${at} to ${upTo}`);
      }
      yield* page;
      at += page.length;
    }
  }

  /** The tools that every episode has; a session's `tools()` adds those of its task. */
  tools(options?: Partial<ToolsOptions<undefined>>): Promise<ToolSpec[]>;
  /** The same in the format of a model provider. */
  tools<Format extends ProviderFormat>(options: ToolsOptions<Format>): Promise<ProviderTools<Format>>;
  async tools({ format, ...options }: Partial<ToolsOptions<ProviderFormat | undefined>> = {}): Promise<unknown> {
    const tools = await this.#ask('tools', readTools, undefined, options);
    return format === undefined ? tools : toProviderTools(tools, format);
  }

  /** The names of the secrets without which no episode begins. Not all servers tell: others answer with 404. */
  requiredSecrets(options?: CallOptions): Promise<string[]> {
    // Of whom it is does not matter: a server has one environment of this name.
    const path = `/v1/environments/-/${encodeURIComponent(this.name)}/required-secrets`;
    return this.#discovery.ask(path, readSecretNames, undefined, options);
  }

  /** Begins an episode. */
  // Written out: what is missing is then in the compile error, and not the type of the whole environment.
  session(
    request: ({ readonly split: string; readonly index: number } | { readonly task: TaskOf<Env> }) & SessionOptions,
  ): Promise<Session<Env>> {
    return Session.open<Env>(this.#context, request);
  }

  /** A session that was begun elsewhere, by its id. Closing it here lets go of it; the episode goes on. */
  attach(sid: string, options: Pick<CallOptions, 'signal'> = {}): Session<Env> {
    return Session.attach<Env>(this.#context, sid, options.signal);
  }

  #ask<Value>(
    action: string,
    read: Reader<Value>,
    body: JsonValue | undefined,
    options: CallOptions | undefined,
  ): Promise<Value> {
    return this.#discovery.ask(`/${encodeURIComponent(this.name)}/${action}`, read, body, options);
  }
}
