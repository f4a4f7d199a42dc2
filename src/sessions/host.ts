import {
  type Awaitable,
  type Catalog,
  type CatalogEnvironment,
  EnvironmentError,
  type Secrets,
} from '../core/index.ts';
import type { JsonObject, ToolSpec, WireBlock } from '../protocol/index.ts';
import type { Call } from './episode/call.ts';
import type { SessionEnd } from './episode/outcome.ts';
import type { CallRequest } from './episode/runner.ts';
import { Session, type SessionShare } from './episode/session.ts';
import { KeptTotal } from './kept/kept-total.ts';
import { RecentResults } from './kept/recent-results.ts';
import { TaskIds } from './kept/task-id.ts';
import { ownerOf, sidOf } from './key.ts';
import type { TraceHeaders } from './observer.ts';
import type { SessionOptions } from './options.ts';
import { stopping } from './session-errors.ts';
import { Sessions, sessionNotFound } from './sessions.ts';

/** Which task an episode is about: the task itself, or where to find it. */
export type TaskChoice = { readonly task: JsonObject } | { readonly split: string; readonly index: number };

/** What a client asks for when it creates an episode. */
export interface CreateRequest {
  /** The environment's name; the first one when left out. */
  readonly environment?: string | undefined;
  readonly choice: TaskChoice;
  readonly secrets: Secrets;
  readonly trace?: TraceHeaders | undefined;
}

/** Where sessions live. The faces know only this, so that sessions can live in this process, a thread or elsewhere. */
export interface SessionHost {
  /** Starts an episode under a key (see `toSessionKey`); returns before its setup has ended. */
  create(key: string, request: CreateRequest): Promise<void>;
  prompt(key: string): Promise<WireBlock[]>;
  tools(key: string): Promise<readonly ToolSpec[]>;
  /** Starts a call, or finds it again by its task id. */
  call(key: string, request: CallRequest): Awaitable<Call>;
  /** Forgets a refused call that no client was told about. */
  forget(key: string, call: Call): void;
  /** The name of the live session's environment; throws if there is no such session. */
  environmentOf(key: string): Awaitable<string>;
  /** Notes that a client uses the session; false if there is no live session. */
  touch(key: string): boolean;
  /** Ends a session, teardown included; throws if there is none. */
  delete(key: string): Promise<void>;
  /** Whether it takes no new sessions. */
  readonly isClosed: boolean;
  /** Takes no new sessions, lets calls end for a while, then ends all sessions. Once, however often it is asked. */
  close(): Promise<void>;
}

/** Keeps sessions in this process. */
export class LocalHost implements SessionHost {
  readonly #catalog: Catalog;
  readonly #share: SessionShare;
  readonly #sessions: Sessions;
  #created = 0;
  #closing: Promise<void> | undefined;

  constructor(catalog: Catalog, options: SessionOptions) {
    this.#catalog = catalog;
    const ids = new TaskIds();
    const recent = new RecentResults(ids, options);
    const { lingerMs, maxKeptBytes, maxKeptTotalBytes } = options;
    const keep = { lingerMs, maxKeptBytes, total: new KeptTotal(maxKeptTotalBytes) };
    this.#share = { options, ids, recent, keep };
    this.#sessions = new Sessions(options, (now) => recent.sweep(now));
  }

  get size(): number {
    return this.#sessions.size;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  async create(key: string, { environment: name, choice, secrets, trace }: CreateRequest): Promise<void> {
    this.#assertOpen();
    const environment = name === undefined ? this.#catalog.first : this.#catalog.find(name);
    environment.checkSecrets(secrets);
    await this.#sessions.create(key, async () => {
      const task = await resolveTask(environment, choice);
      // The server may have begun to stop while the task was read.
      this.#assertOpen();
      return () => {
        this.#created += 1;
        const start = { sid: sidOf(key), environment, task, secrets, trace };
        return new Session(this.#created, start, this.#share, ownerOf(key));
      };
    });
  }

  prompt(key: string): Promise<WireBlock[]> {
    return this.#sessions.get(key).prompt();
  }

  tools(key: string): Promise<readonly ToolSpec[]> {
    return this.#sessions.get(key).tools();
  }

  call(key: string, request: CallRequest): Call {
    return this.#sessions.get(key).call(request);
  }

  forget(key: string, call: Call): void {
    this.#sessions.find(key)?.forget(call);
  }

  environmentOf(key: string): string {
    return this.#sessions.get(key).environmentName;
  }

  touch(key: string): boolean {
    const session = this.#sessions.find(key);
    session?.touch();
    return session !== undefined;
  }

  async delete(key: string): Promise<void> {
    if (!(await this.#sessions.end(key, 'deleted'))) throw sessionNotFound(key);
  }

  close(end: SessionEnd = 'stopped'): Promise<void> {
    this.#closing ??= this.#sessions.close(end);
    return this.#closing;
  }

  #assertOpen(): void {
    if (this.isClosed) throw stopping();
  }
}

async function resolveTask(environment: CatalogEnvironment, choice: TaskChoice): Promise<unknown> {
  if ('task' in choice) return environment.checkTask(choice.task);
  const { split, index } = choice;
  const task = await environment.split(split).get(index);
  try {
    // A copy: what one episode does to its task must not reach another.
    return await environment.checkTask(structuredClone(task));
  } catch (thrown) {
    // Not the client's mistake: the author's own task does not fit the author's schema.
    throw new EnvironmentError('environment_failed', `task ${index} of split '${split}' is broken`, { thrown });
  }
}
