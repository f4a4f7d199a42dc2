import { randomInt } from 'node:crypto';
import type { Awaitable } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import { Dormant } from './dormant.ts';
import type { SessionEnd } from './episode/outcome.ts';
import { settle, toEnded } from './episode/repeats.ts';
import type { EpisodeRuntime, EpisodeStart } from './episode/runtime.ts';
import { Session } from './episode/session.ts';
import { SessionCalls } from './episode/session-calls.ts';
import type { SessionShare } from './episode/session-start.ts';
import type {
  CallListener,
  CallRequest,
  CreateRequest,
  Manifest,
  Recovered,
  SessionHost,
  SessionRef,
  SessionState,
  TaskPage,
  TaskQuery,
} from './host.ts';
import type { EpisodeKeeper, KeptEpisode, RecalledCall } from './keeper.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import { SessionMemory, sessionBytes } from './memory/session-memory.ts';
import type { SessionOptions } from './options.ts';
import { sessionAbsent, stopping } from './session-errors.ts';
import { type SessionCounts, Sessions } from './sessions.ts';

/** Keeps sessions in this process; their authors' code runs wherever the runtime has it. */
export class LocalHost implements SessionHost {
  readonly #runtime: EpisodeRuntime;
  readonly #share: SessionShare;
  readonly #sessions: Sessions;
  readonly #keeper: EpisodeKeeper | undefined;
  #created = 0;
  #draining: Promise<void> | undefined;

  /** `keeper` keeps episodes for after their process; without it, nothing does. */
  constructor(runtime: EpisodeRuntime, options: SessionOptions, keeper?: EpisodeKeeper) {
    this.#runtime = runtime;
    const { memory = new MemoryBudget(options) } = options;
    const toolNames = new Map(
      runtime.manifest.environments.map(({ name, allTools }) => [name, new Set(allTools.map((tool) => tool.name))]),
    );
    this.#keeper = keeper;
    this.#share = {
      options,
      memory,
      keeper,
      toolNames,
      endLost: (session) => void this.#sessions.end(session, 'lost'),
    };
    const places = keeper && {
      wake: (ref: SessionRef, { lastSeq, lastActive }: Dormant) => this.#wake(ref, lastSeq, lastActive),
      endDormant: (ref: SessionRef, end: SessionEnd) => keeper.endDormant(ref, this.#next(), end),
      forget: (key: string) => keeper.forget(key),
    };
    this.#sessions = new Sessions(options, memory, (now) => memory.kept.sweep(now), places);
  }

  get manifest(): Manifest {
    return this.#runtime.manifest;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  /** Takes over what an earlier server has left in the journal; `onProgress` hears how many sessions were looked at. */
  async recover(onProgress?: (done: number, all: number) => void): Promise<Recovered | undefined> {
    const sessions = this.#sessions;
    return this.#keeper?.recover(
      {
        adopt: (ref, lastSeq, lastActive) => sessions.adopt(ref, new Dormant(lastSeq, lastActive)),
        bury: (ref, { end, why, until, calls: read }) => {
          const calls = read === undefined ? undefined : () => this.#callsOf(ref, read());
          sessions.bury(ref, { end, why, until, calls });
        },
        number: () => this.#next(),
      },
      onProgress,
    );
  }

  tasks(query: TaskQuery): Awaitable<TaskPage> {
    return this.#runtime.tasks(query);
  }

  async create(ref: SessionRef, request: CreateRequest): Promise<void> {
    this.#assertOpen();
    if (this.#isRepeated(ref, request)) return;
    const { environment, choice, secrets, bytes = 0, trace } = request;
    await this.#sessions.create(ref, bytes, async (memory) => {
      const number = this.#next();
      const seed = randomInt(MAX_SEED);
      const isHashed = this.#share.options.observer.onContent !== undefined;
      const start = { session: number, sid: ref.sid, environment, choice, secrets, seed, isHashed };
      const { episode, keeping } = await this.#open(ref, request, start, memory);
      const drop = () => {
        void episode.close('nobody wants it any more');
        void keeping?.drop();
      };
      // The server may have begun to stop while the task was read.
      if (this.isDraining) drop();
      this.#assertOpen();
      const make = () =>
        new Session({ ...ref, number, choice, seed, secrets, trace, memory, keeping }, episode, this.#share);
      return { make, drop };
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
    return session === undefined ? this.#callAbsent(ref, request, on) : session.call(request, on);
  }

  /** Aborts a call, by the id that it was told under; nothing if it has ended. */
  abort(ref: SessionRef, taskId: string): void {
    this.#sessions.find(ref)?.abort(taskId);
  }

  touch(ref: SessionRef): SessionState {
    const session = this.#sessions.find(ref);
    if (session === undefined) return this.#sessions.absenceOf(ref);
    session.touch();
    return session.state;
  }

  async end(ref: SessionRef): Promise<void> {
    if (!(await this.#sessions.end(ref, 'deleted'))) throw sessionAbsent(ref.sid, undefined);
  }

  /** How many sessions there are. */
  get counts(): SessionCounts {
    return this.#sessions.counts;
  }

  /** Lets go of a session that another server has, or gets; its calls may end first, for so long. Nothing is written. */
  async release(ref: SessionRef, patienceMs: number): Promise<void> {
    await this.#sessions.release(ref, patienceMs);
  }

  drain(end: SessionEnd = 'stopped'): Promise<void> {
    const close = () => this.#sessions.close(end);
    // A node of a cluster asks again, since it may have taken over sessions while others ended.
    this.#draining = this.#draining === undefined ? close() : this.#draining.then(close);
    return this.#draining;
  }

  #next(): number {
    this.#created += 1;
    return this.#created;
  }

  async #open(
    ref: SessionRef,
    request: CreateRequest,
    start: EpisodeStart,
    memory: SessionMemory,
  ): Promise<KeptEpisode> {
    if (this.#keeper !== undefined) return this.#keeper.open(ref, request, start, memory);
    return { episode: await this.#runtime.open({ ...start, isKept: false }), keeping: undefined };
  }

  /** Tells why there is no such session; or, of one that was lost, what was told of a call before. */
  #callAbsent(ref: SessionRef, { taskId }: CallRequest, on: CallListener): () => void {
    const ended = taskId === undefined ? undefined : this.#sessions.callsOfLost(ref)?.toldOf(taskId, performance.now());
    return settle(on, taskId ?? '', ended ?? toEnded(this.#sessions.absenceOf(ref)));
  }

  /** Whether a client that was cut off asks once more for the session that it has. */
  #isRepeated(ref: SessionRef, request: CreateRequest): boolean {
    if (this.#keeper === undefined) return false;
    const session = this.#sessions.find(ref);
    return session?.calls.count === 0 && session.keeping?.isFor(request) === true;
  }

  #wake(ref: SessionRef, lastSeq: number, lastActive: number): Session {
    const keeper = this.#keeper as EpisodeKeeper;
    const memory = new SessionMemory(this.#share.memory, ref.identity);
    const number = this.#next();
    const recalled = keeper.recall(ref, number, lastSeq, memory);
    const { choice, seed, secrets, bytes, episode, keeping } = recalled;
    // It was let in before: it is not refused now.
    memory.grow(sessionBytes(bytes));
    const start = { ...ref, number, choice, seed, secrets, trace: undefined, memory, keeping, recalled };
    const session = new Session(start, episode, this.#share);
    session.lastActive = lastActive;
    return session;
  }

  /** The calls of a session of an earlier server that was lost. */
  #callsOf(ref: SessionRef, ended: readonly RecalledCall[]): SessionCalls {
    const { memory, options } = this.#share;
    const owner = { number: this.#next(), identity: ref.identity, memory: new SessionMemory(memory, ref.identity) };
    const calls = new SessionCalls(owner, memory.kept, options);
    calls.recall(ended, performance.now());
    return calls;
  }

  #assertOpen(): void {
    if (this.isDraining) throw stopping();
  }
}

// All of them are exact as numbers.
const MAX_SEED = 2 ** 48 - 1;
