import type { CallOutcome, EpisodeOutcome, Secrets } from '../core/index.ts';
import type { JsonObject, WireBlock } from '../protocol/index.ts';
import type { CallEnding } from './call-ending.ts';
import type { LossReason } from './episode/loss.ts';
import type { SessionEnd } from './episode/outcome.ts';

/** The headers of a request that say to which trace it belongs. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** What came of a setup; cancelled: its session ended first. */
export type SetupResult = 'ready' | 'failed' | 'cancelled';

/** The tool of a call that names none of the catalog's: names that clients make up must not become labels. */
export const UNKNOWN_TOOL = '(unknown)';

/** What every event about a session says of it. */
export interface SessionFacts {
  /** Tells it from all other sessions of its host; ids may be used again. */
  readonly number: number;
  readonly sid: string;
  /** Whose it is; empty where nobody is known. */
  readonly identity: string;
  readonly environment: string;
  /** Where its task comes from; undefined where the client sent the task itself. */
  readonly split: string | undefined;
  readonly index: number | undefined;
}

/** What every event about a call says of it. */
export interface CallFacts {
  /** Tells it from all other calls of its host. */
  readonly number: number;
  /** ORS's `task_id`, OXP's `call_id`. */
  readonly id: string;
  /** A name of the catalog, or UNKNOWN_TOOL. */
  readonly tool: string;
  /** Who called; empty where nobody is known. */
  readonly identity: string;
  /** Undefined for a tool of a toolkit. */
  readonly session: SessionFacts | undefined;
  /** OXP's `trace_id`. */
  readonly traceId: string | undefined;
  /** The id of the MCP request that it came with; undefined where it came by another protocol. */
  readonly mcpId?: string | undefined;
}

/** A session was created; its setup may still be running. */
export interface SessionStarted {
  readonly type: 'session_started';
  readonly at: number;
  readonly session: SessionFacts;
  readonly trace: TraceHeaders | undefined;
}

/** A setup has ended: once, before its session ends, and only for sessions that have something to set up. */
export interface SetupEnded {
  readonly type: 'setup_ended';
  readonly at: number;
  readonly session: SessionFacts;
  readonly result: SetupResult;
  readonly durationMs: number;
}

/** A session has ended, its teardown included. */
export interface SessionEnded {
  readonly type: 'session_ended';
  readonly at: number;
  readonly session: SessionFacts;
  readonly outcome: EpisodeOutcome;
  readonly reason: SessionEnd;
  /** Why it was lost, if it was. */
  readonly lost?: LossReason | undefined;
  readonly calls: number;
  readonly durationMs: number;
  /** The sum of what its steps paid; null if none had one. */
  readonly reward: number | null;
}

/** A session was put aside, its teardown included: its server stops, and it goes on when that starts again, or another server has it. */
export interface SessionSuspended {
  readonly type: 'session_suspended';
  readonly at: number;
  readonly session: SessionFacts;
}

/** An episode goes on in another process, or after a restart of the server, where it was. */
export interface SessionRebuilt {
  readonly type: 'session_rebuilt';
  readonly at: number;
  /** The number of its session. */
  readonly session: number;
  readonly sid: string;
  readonly environment: string;
  /** How many of its prompts and calls were run again. */
  readonly steps: number;
  readonly durationMs: number;
}

/** A session of an earlier server cannot go on at this one. But for `episode_lost`, no other event of this server tells of it. */
export interface SessionNotRecovered {
  readonly type: 'session_not_recovered';
  readonly at: number;
  readonly sid: string;
  readonly identity: string;
  readonly environment: string;
  readonly lost: LossReason;
}

/** A call arrived; it may wait for setup and for its turn. */
export interface CallStarted {
  readonly type: 'call_started';
  readonly at: number;
  readonly call: CallFacts;
  readonly trace: TraceHeaders | undefined;
}

/** The turn of a call has come: its tool starts. */
export interface CallRunning {
  readonly type: 'call_running';
  readonly at: number;
  readonly call: CallFacts;
}

/** A call has ended: exactly once for each call that started. */
export interface CallEnded {
  readonly type: 'call_ended';
  readonly at: number;
  readonly call: CallFacts;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  /** Whether its tool was started: a call may end before its turn comes. */
  readonly ran: boolean;
  /** What its step paid; null if it had none. */
  readonly reward: number | null;
  /** Whether its step ended the episode. */
  readonly finished: boolean;
}

/** A task_id came again with another tool or input than the first time: no new call, and the result is that of the first. */
export interface TaskIdReused {
  readonly type: 'task_id_reused';
  readonly at: number;
  readonly session: SessionFacts;
  readonly taskId: string;
  /** The tool that was asked for this time: a name of the catalog, or UNKNOWN_TOOL. */
  readonly tool: string;
  /** Whether the client was refused, instead of getting the result of the first call. */
  readonly isRefused: boolean;
  /** Whether it is the first time in this session. */
  readonly isFirst: boolean;
}

/** What happens to sessions and calls, as plain data. `at` is the time in ms since 1970, with fractions. */
export type HostEvent =
  | SessionStarted
  | SetupEnded
  | SessionEnded
  | SessionSuspended
  | SessionRebuilt
  | SessionNotRecovered
  | CallStarted
  | CallRunning
  | CallEnded
  | TaskIdReused;

/** Whose code is run, and which: of a call, of a session, or of an environment's splits. */
export type Subject = CallSubject | SessionSubject | TasksSubject;

/** The code of a call, by its number: what checks its input, or its tool. */
export interface CallSubject {
  readonly call: number;
  readonly part: 'input' | 'tool';
  readonly tool: string;
  /** Undefined for a tool of a toolkit, as is `sid`. */
  readonly environment: string | undefined;
  readonly sid: string | undefined;
  /** The number of its session: others may have the same `sid`. */
  readonly session?: number | undefined;
}

/** The code of a session, by its number. */
export interface SessionSubject {
  readonly session: number;
  readonly part: 'setup' | 'prompt' | 'teardown';
  readonly environment: string;
  readonly sid: string;
}

/** The code that reads tasks. */
export interface TasksSubject {
  readonly part: 'tasks';
  readonly environment: string;
}

/** An episode was opened, or goes on where an earlier server has left it. Follows `session_started`. */
export interface EpisodeOpened {
  readonly type: 'episode_opened';
  readonly at: number;
  readonly session: SessionFacts;
  /** The task, where its client sent it. */
  readonly task: JsonObject | undefined;
  /** The hash of a task that was read from a split, where it is known. */
  readonly taskHash: string | undefined;
  readonly seed: number;
  /** What must not be shown or written anywhere. */
  readonly secrets: Secrets;
  /** Undefined: it is new. Otherwise the calls that ended at the earlier server. */
  readonly past: readonly PastCall[] | undefined;
}

/** What was said in an episode of an earlier server that cannot go on, and how it ended. Follows `session_not_recovered`. */
export interface EpisodeLost {
  readonly type: 'episode_lost';
  readonly opened: EpisodeOpened;
  readonly ended: SessionEnded;
}

/** A call that has ended at an earlier server. */
export interface PastCall {
  readonly id: string;
  readonly tool: string;
  readonly input: object;
  readonly ending: CallEnding;
  readonly durationMs: number;
}

/** A client has got the prompt. */
export interface PromptTold {
  readonly type: 'prompt_told';
  readonly at: number;
  readonly session: SessionFacts;
  readonly blocks: readonly WireBlock[];
}

/** What a call asks for. Follows `call_started`. */
export interface CallAsked {
  readonly type: 'call_asked';
  readonly at: number;
  readonly call: CallFacts;
  /** The tool as the client named it. */
  readonly tool: string;
  /** As it came; only for the time of this event, since defaults are written into it afterwards. */
  readonly input: object;
}

/** How a call ended, with all that is told of it. Follows `call_ended`. */
export interface CallTold {
  readonly type: 'call_told';
  readonly at: number;
  readonly call: CallFacts;
  readonly ending: CallEnding;
  readonly durationMs: number;
}

/** What is said in episodes. Unlike other events it may hold secrets. */
export type ContentEvent = EpisodeOpened | EpisodeLost | PromptTold | CallAsked | CallTold;

/** Hears what becomes of sessions and calls. It stands on the path of every call: it returns at once and does not throw. */
export interface Observer {
  /** Called with each event, in order. */
  on(event: HostEvent): void;
  /** Called with what is said in episodes, in order with the others; left out by observers that need not know. */
  onContent?: ((event: ContentEvent) => void) | undefined;
  /** Runs an author's code; left out by observers that need not be around it. */
  within?: (<Value>(subject: Subject, run: () => Value) => Value) | undefined;
}

/** An observer that does nothing. */
export const unobserved: Observer = { on() {} };

/** One observer out of several. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const [only] = observers;
  if (only !== undefined && observers.length === 1) return only;
  const within = withinAll(observers.flatMap((observer) => observer.within?.bind(observer) ?? []));
  return {
    on(event) {
      for (const observer of observers) observer.on(event);
    },
    onContent: toAll(observers.flatMap((observer) => observer.onContent?.bind(observer) ?? [])),
    within,
  };
}

/** Undefined if there are none, so that nothing is made for them. */
function toAll(listeners: readonly NonNullable<Observer['onContent']>[]): Observer['onContent'] {
  const [only] = listeners;
  if (listeners.length <= 1) return only;
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}

type Within = NonNullable<Observer['within']>;

function withinAll([outer, ...others]: readonly Within[]): Within | undefined {
  if (outer === undefined || others.length === 0) return outer;
  const inner = withinAll(others);
  return (subject, run) => outer(subject, () => (inner === undefined ? run() : inner(subject, run)));
}

/** A moment of the process's clock, which never goes back, as time since 1970. */
export function toEpoch(now: number): number {
  return performance.timeOrigin + now;
}
