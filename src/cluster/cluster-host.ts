import { type Awaitable, type Failure, TiltyardError, toFailureError } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import {
  type CallEvent,
  type CallListener,
  type CallRequest,
  type CreateRequest,
  isNobody,
  keyOf,
  type Manifest,
  NOT_RUN,
  refused,
  type SessionCounts,
  type SessionHost,
  type SessionOptions,
  type SessionRef,
  type SessionState,
  type TaskPage,
  type TaskQuery,
} from '../sessions/index.ts';
import { AskServer } from './ask-server.ts';
import { Asking, CLUSTER_UNAVAILABLE } from './asking.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import { HandOver } from './hand-over.ts';
import type { HeldJournal } from './held-journal.ts';
import type { HomeHost } from './home.ts';
import { Locator } from './locator.ts';
import { hashOf, Membership, type OwnState, type Self } from './membership.ts';
import type { Answer } from './messages.ts';
import { NewSessions } from './new-sessions.ts';
import { Orphans } from './orphans.ts';
import { Residence, type SessionQuestion } from './residence.ts';
import type { SharedJournal } from './shared-journal.ts';
import { isMadeFor, newTaskId } from './task-ids.ts';

/** Hears what happens in a cluster, as far as this node has to do with it. */
export interface ClusterObserver {
  /** This node has taken over an episode. */
  takenOver(): void;
  /** Another node has taken one from this. */
  fenced(): void;
  /** A record is durable after so many ms. */
  appended(ms: number): void;
}

/** What a node is made from. All of it can be a simulator's. */
export interface ClusterParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly shared: SharedJournal;
  /** What the home host keeps its episodes in. */
  readonly journal: HeldJournal;
  readonly home: HomeHost;
  readonly self: Self;
  readonly options: Pick<SessionOptions, 'drainMs' | 'maxSessionsPerIdentity' | 'tombstoneMs'>;
  readonly observer: ClusterObserver;
}

/**
 * A node of a cluster: sessions live at any of them, and any of them answers for each. It keeps its own, asks others for theirs, and takes
 * over those of nodes that died.
 */
export class ClusterHost implements SessionHost {
  readonly membership: Membership;
  readonly #parts: ClusterParts;
  readonly #locator: Locator;
  readonly #residence: Residence;
  readonly #asking: Asking;
  readonly #newSessions: NewSessions;
  readonly #orphans: Orphans;
  readonly #handOver: HandOver;
  readonly #server: AskServer;
  /** Calls that wait for an answer, wherever they run. */
  readonly #open = new Set<Promise<void>>();
  readonly #touching = new Map<string, Promise<SessionState>>();
  #draining: Promise<void> | undefined;

  constructor(parts: ClusterParts) {
    const { clock, bus, shared, journal, home, self, options, observer } = parts;
    this.#parts = parts;
    const membership = new Membership(clock, bus, self, () => ({
      ...toOwnState(home.counts),
      movable: journal.episodes.movable.length,
    }));
    const residence = new Residence(home, journal, membership);
    const onTakeover = () => observer.takenOver();
    const locator = new Locator({ journal, membership, residence, home, onTakeover });
    const asking = new Asking({ clock, bus, membership, locator, residence });
    this.membership = membership;
    this.#locator = locator;
    this.#residence = residence;
    this.#asking = asking;
    this.#newSessions = new NewSessions({ membership, residence, asking, home, options });
    this.#orphans = new Orphans({ clock, shared, journal, membership, locator, tombstoneMs: options.tombstoneMs });
    this.#handOver = new HandOver({ clock, journal, membership, residence, asking });
    const drain = () => void this.#handOver.all(options.drainMs);
    this.#server = new AskServer({ clock, bus, membership, locator, residence, newSessions: this.#newSessions, drain });
    journal.listen({
      fenced: (key, ref) => {
        observer.fenced();
        residence.leave(key, ref);
      },
      appended: (ms) => observer.appended(ms),
    });
  }

  /** Begins to beat, to answer other nodes, and to look after what dead ones have left. */
  start(): void {
    this.#server.start();
    this.membership.start();
    this.#orphans.start();
  }

  /** Leaves the cluster. What this node still has is taken over by others. */
  close(): void {
    this.#orphans.stop();
    this.membership.leave();
    this.#server.stop();
  }

  get manifest(): Manifest {
    return this.#parts.home.manifest;
  }

  get isDraining(): boolean {
    return this.membership.draining || this.#parts.home.isDraining;
  }

  tasks(query: TaskQuery): Awaitable<TaskPage> {
    return this.#parts.home.tasks(query);
  }

  create(ref: SessionRef, request: CreateRequest, isWanted?: () => boolean): Promise<void> {
    return this.#newSessions.create(ref, request, isWanted);
  }

  async prompt(ref: SessionRef): Promise<WireBlock[]> {
    return (await this.#value({ op: 'prompt', ref })) as WireBlock[];
  }

  async tools(ref: SessionRef): Promise<readonly ToolSpec[]> {
    return (await this.#value({ op: 'tools', ref })) as readonly ToolSpec[];
  }

  call(ref: SessionRef, request: CallRequest, on: CallListener): () => void {
    const taskId = request.taskId ?? newTaskId(keyOf(ref));
    let hasLeft = false;
    const isAborted = () => hasLeft && request.leaveAborts === true;
    const tell: CallListener = (event) => {
      // One that aborts its call hears how that ended.
      if (!hasLeft || isAborted()) on(event);
    };
    const calling = this.#call(ref, request, taskId, tell, isAborted).finally(() => this.#open.delete(calling));
    this.#open.add(calling);
    return () => {
      hasLeft = true;
      if (isAborted()) void this.#value({ op: 'abort', ref, taskId }).catch(() => {});
    };
  }

  /** One question for all who ask at the same time: each request of a client touches its session. */
  touch(ref: SessionRef): Promise<SessionState> {
    const key = keyOf(ref);
    const before = this.#touching.get(key);
    if (before !== undefined) return before;
    const touching = this.#value({ op: 'touch', ref }).finally(() => this.#touching.delete(key));
    // Most who touch a session do not wait for an answer.
    touching.catch(() => {});
    this.#touching.set(key, touching as Promise<SessionState>);
    return touching as Promise<SessionState>;
  }

  async end(ref: SessionRef): Promise<void> {
    await this.#value({ op: 'end', ref });
  }

  /** Hands over what others can go on with, ends the rest, and answers what is still asked. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    const { home, options } = this.#parts;
    this.#orphans.stop();
    await this.#handOver.all(options.drainMs);
    await home.drain();
    await this.#handOver.within(Promise.all(this.#open), options.drainMs);
    await this.#locator.stop();
    // What others have handed over to this node before they heard that it drains, and what it took over for an open call.
    await this.#handOver.all(options.drainMs);
    this.#residence.close();
    await home.drain();
  }

  async #call(
    ref: SessionRef,
    request: CallRequest,
    taskId: string,
    on: CallListener,
    isAborted: () => boolean,
  ): Promise<void> {
    const key = keyOf(ref);
    const settle = (failure: Failure) => on({ kind: 'settled', taskId, ending: refused(failure), durationMs: 0 });
    let isAccepted = false;
    const tell = (event: CallEvent) => {
      if (event.kind === 'settled' || !isAccepted) on(event);
      isAccepted = true;
    };
    try {
      // A client that does not know the id would step twice if this node went away before it heard of it, wherever the call runs.
      if (request.taskId === undefined) {
        // There must be such a session before it is said that its call will run.
        const { kind } = await this.#asking.locate(ref);
        if (kind !== 'nobody') tell({ kind: 'accepted', taskId });
        await this.#parts.clock.turn();
        // The node that has the session would hear of the end before it hears of the call.
        if (isAborted()) return on({ kind: 'settled', taskId, ending: NOT_RUN, durationMs: 0 });
      }
      // A client that was told the id may come back for a refusal as well.
      const keepRefusal = request.keepRefusal === true || isAccepted;
      const named = { ...request, taskId, isServersId: isMadeFor(taskId, key), keepRefusal };
      while (!(await this.#follow(ref, named, tell, () => isAccepted)));
    } catch (thrown) {
      if (!(thrown instanceof TiltyardError)) settle(CLUSTER_UNAVAILABLE);
      else settle({ code: thrown.code, message: thrown.message });
    }
  }

  /** Asks how a call goes on; true when it has ended. */
  async #follow(
    ref: SessionRef,
    request: CallRequest,
    tell: (event: CallEvent) => void,
    isPatient: () => boolean,
  ): Promise<boolean> {
    // At home it is heard at once.
    if (this.#residence.has(keyOf(ref)) && !this.membership.isCutOff) {
      const isOver = await this.#residence.call(ref, request, tell).catch(() => false);
      if (isOver) return true;
    }
    const answer = await this.#asking.ask({ op: 'call', ref, request, isAccepted: isPatient() }, isPatient);
    if (answer.kind !== 'event') throw toError(answer);
    tell(answer.event);
    return answer.event.kind === 'settled';
  }

  async #value(question: SessionQuestion): Promise<unknown> {
    const answer = await this.#asking.ask(question);
    if (answer.kind === 'value') return answer.value;
    throw toError(answer);
  }
}

function toOwnState({ all, owned }: SessionCounts): Pick<OwnState, 'sessions' | 'owned'> {
  const known = [...owned].filter(([identity]) => !isNobody(identity));
  return { sessions: all, owned: Object.fromEntries(known.map(([identity, count]) => [hashOf(identity), count])) };
}

function toError(answer: Answer): TiltyardError {
  return toFailureError(answer.kind === 'failed' ? answer.failure : CLUSTER_UNAVAILABLE);
}
