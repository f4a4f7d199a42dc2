import { randomInt } from 'node:crypto';
import type { Awaitable } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import { NOTHING_TO_LEAVE } from './call.ts';
import { refused } from './call-ending.ts';
import type { SessionEnd } from './episode/outcome.ts';
import type { EpisodeRuntime } from './episode/runtime.ts';
import { Session, type SessionShare } from './episode/session.ts';
import type {
  CallListener,
  CallRequest,
  CreateRequest,
  Manifest,
  SessionHost,
  SessionRef,
  SessionState,
  TaskPage,
  TaskQuery,
} from './host.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import type { SessionOptions } from './options.ts';
import { absenceOf, sessionAbsent, stopping } from './session-errors.ts';
import { Sessions } from './sessions.ts';

/** Keeps sessions in this process; their authors' code runs wherever the runtime has it. */
export class LocalHost implements SessionHost {
  readonly #runtime: EpisodeRuntime;
  readonly #share: SessionShare;
  readonly #sessions: Sessions;
  #created = 0;
  #draining: Promise<void> | undefined;

  constructor(runtime: EpisodeRuntime, options: SessionOptions) {
    this.#runtime = runtime;
    const { memory = new MemoryBudget(options) } = options;
    const toolNames = new Map(
      runtime.manifest.environments.map(({ name, allTools }) => [name, new Set(allTools.map((tool) => tool.name))]),
    );
    this.#share = { options, memory, toolNames, endLost: ({ facts }) => void this.#sessions.end(facts, 'lost') };
    this.#sessions = new Sessions(options, memory, (now) => memory.kept.sweep(now));
  }

  get manifest(): Manifest {
    return this.#runtime.manifest;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  tasks(query: TaskQuery): Awaitable<TaskPage> {
    return this.#runtime.tasks(query);
  }

  async create(ref: SessionRef, { environment, choice, secrets, bytes = 0, trace }: CreateRequest): Promise<void> {
    this.#assertOpen();
    await this.#sessions.create(ref, bytes, async (memory) => {
      this.#created += 1;
      const number = this.#created;
      const seed = randomInt(2 ** 48 - 1);
      const episode = await this.#runtime.open({ session: number, sid: ref.sid, environment, choice, secrets, seed });
      const drop = () => void episode.close('nobody wants it any more');
      // The server may have begun to stop while the task was read.
      if (this.isDraining) drop();
      this.#assertOpen();
      return { make: () => new Session({ ...ref, number, choice, trace, memory }, episode, this.#share), drop };
    });
  }

  async prompt(ref: SessionRef): Promise<WireBlock[]> {
    return this.#sessions.get(ref).prompt();
  }

  async tools(ref: SessionRef): Promise<readonly ToolSpec[]> {
    return this.#sessions.get(ref).tools();
  }

  call(ref: SessionRef, request: CallRequest, on: CallListener): () => void {
    const session = this.#sessions.find(ref);
    if (session !== undefined) return session.call(request, on);
    const ending = refused(absenceOf(ref.sid, this.#sessions.endOf(ref)));
    on({ kind: 'settled', taskId: '', ending, durationMs: 0 });
    return NOTHING_TO_LEAVE;
  }

  touch(ref: SessionRef): SessionState {
    const session = this.#sessions.find(ref);
    if (session === undefined) return absenceOf(ref.sid, this.#sessions.endOf(ref));
    session.touch();
    return session.facts;
  }

  async end(ref: SessionRef): Promise<void> {
    if (!(await this.#sessions.end(ref, 'deleted'))) throw sessionAbsent(ref.sid, undefined);
  }

  drain(end: SessionEnd = 'stopped'): Promise<void> {
    this.#draining ??= this.#sessions.close(end);
    return this.#draining;
  }

  #assertOpen(): void {
    if (this.isDraining) throw stopping();
  }
}
