import type { Awaitable, Durability, Effects, Secrets, ToolAnnotations } from '../core/index.ts';
import type { JsonObject, Split, ToolSpec, WireBlock } from '../protocol/index.ts';
import type { CallEnding } from './call-ending.ts';
import type { TraceHeaders } from './events.ts';

/** Which session is meant: ids belong to the identity that created them. */
export interface SessionRef {
  /** Whose it is; empty where nobody is known. */
  readonly identity: string;
  readonly sid: string;
}

/** Which task an episode is about: the task itself, or where to find it. */
export type TaskChoice = { readonly task: JsonObject } | { readonly split: string; readonly index: number };

/** What a client asks for when it creates an episode. */
export interface CreateRequest {
  /** The environment's name; the first one when left out. */
  readonly environment?: string | undefined;
  readonly choice: TaskChoice;
  readonly secrets: Secrets;
  /** About how much memory the task and the secrets take. Default: nothing worth counting. */
  readonly bytes?: number;
  readonly trace?: TraceHeaders | undefined;
}

/** What a client asks for when it calls a tool. */
export interface CallRequest {
  /** The environment that the client believes it talks to; refused if the session runs another. */
  readonly environment?: string | undefined;
  readonly name: string;
  /** Taken over by the call: defaults are written into it. */
  readonly input: object;
  /** About how much memory the input takes. Default: nothing worth counting. */
  readonly bytes?: number;
  /** An id that the client chose, or that it was told before. */
  readonly taskId?: string | undefined;
  /** Whether another server made the id for a call of this session, which may or may not have come here. Default: false. */
  readonly isServersId?: boolean;
  /** From 1; more if it was lost with its server before. Default: 1. */
  readonly attempt?: number;
  /** Whether a refusal is told together with the call's id, so that the client may come back for it. Default: false. */
  readonly keepRefusal?: boolean;
  /** Whether a client that leaves aborts it, rather than to come back for its result. Default: false. */
  readonly leaveAborts?: boolean;
  /** The id of the MCP request that it came with; undefined over ORS. */
  readonly mcpId?: string | undefined;
  readonly trace?: TraceHeaders | undefined;
}

/** What a client hears of its call: that it will run, under which id, and then how it ended. */
export type CallEvent =
  /** Not told of a call that ends at once. Also told of one that has waited for long: it may still be refused. */
  | { readonly kind: 'accepted'; readonly taskId: string }
  | {
      readonly kind: 'settled';
      readonly taskId: string;
      readonly ending: CallEnding;
      readonly durationMs: number;
      /** Set if it ends now, which observers are told as well; not set if this is what is known of a call that came before. */
      readonly isNews?: true;
    };

/** Hears of a call, within `call()` or later. */
export type CallListener = (event: CallEvent) => void;

/** What a server has: names, tools and splits. */
export interface Manifest {
  /** In the order they were given; the first one is the default. */
  readonly environments: readonly EnvironmentManifest[];
}

/** An environment as clients see it. */
export interface EnvironmentManifest {
  /** In lower case. */
  readonly name: string;
  /** The tools that every task has. */
  readonly sharedTools: readonly ToolSpec[];
  readonly allTools: readonly ToolSpec[];
  readonly splits: readonly Split[];
  /** How many tasks a split has, by its name, where that was known at the start. */
  readonly taskCounts: Readonly<Record<string, number>>;
  /** The secrets that a session must be given. */
  readonly requiredSecrets: readonly string[];
  /** What survives the process that runs it. */
  readonly durability: Durability;
  /** What its tools do outside of their episode, by name, where that is not just `state`. */
  readonly effects: Readonly<Record<string, Effects>>;
  /** What its author says of its tools over MCP, by name, where that is anything. */
  readonly annotations: Readonly<Record<string, ToolAnnotations>>;
  /** Whether an episode has anything to do before its first call. */
  readonly hasSetup: boolean;
}

/** Which tasks are asked for. */
export type TaskQuery = { readonly environment: string; readonly split: string } & (
  | { readonly read: 'count' | 'all' }
  | { readonly read: 'one'; readonly index: number }
  /** As a Python slice: negative bounds count from the end. */
  | { readonly read: 'range'; readonly start: number | undefined; readonly stop: number | undefined }
);

/** The tasks that were asked for, or how many there are. */
export interface TaskPage {
  readonly tasks: readonly JsonObject[];
  /** Only where it was asked for. */
  readonly count?: number;
}

/** What became of the sessions of an earlier server: how many go on, had ended, and are lost. */
export interface Recovered {
  readonly dormant: number;
  readonly ended: number;
  readonly lost: number;
}

/** Whether a session lives, and what it is about; its absence as an error says why. */
export type SessionState = LiveSession | Absence;

/** A session that lives. */
export interface LiveSession {
  readonly environment: string;
  /** Where its task comes from; undefined where the client sent the task itself. */
  readonly split: string | undefined;
  readonly index: number | undefined;
  /** Tells its episode from others that had its id before, also after a restart. */
  readonly seed: number;
  /** Whether its setup has ended well. */
  readonly isReady: boolean;
}

/** Why there is no such session. */
export interface Absence {
  readonly code: 'session_not_found' | 'session_gone' | 'session_expired' | 'session_lost' | 'shutting_down';
  readonly message: string;
}

/** Whether there is no such session, and the state says why. */
export function isAbsent(state: SessionState): state is Absence {
  return 'code' in state;
}

/**
 * Where sessions live. The protocols know only this: sessions can live in this process or in another. All that crosses it
 * is data, or a callback of data; what rejects, rejects with a TiltyardError, which `toFailure` makes plain.
 */
export interface SessionHost {
  readonly manifest: Manifest;
  /** Reads tasks of a split. */
  tasks(query: TaskQuery): Awaitable<TaskPage>;
  /** Starts an episode; resolves before its setup has ended. `isWanted` is asked, where it has to wait, whether its client is still there. */
  create(ref: SessionRef, request: CreateRequest, isWanted?: () => boolean): Promise<void>;
  /** Takes over what an earlier server has left, before anything else; `onProgress` hears how far that has come. */
  recover?(onProgress?: (done: number, all: number) => void): Promise<Recovered | undefined>;
  prompt(ref: SessionRef): Promise<WireBlock[]>;
  tools(ref: SessionRef): Promise<readonly ToolSpec[]>;
  /**
   * Starts a call, or finds it again by its id. Never throws: what is wrong is told as a refusal. The returned function
   * says that the client has left: the call goes on, and nothing more is told. One that was made with `leaveAborts` is aborted, and its end is told.
   */
  call(ref: SessionRef, request: CallRequest, on: CallListener): () => void;
  /** Notes that a client uses the session, and tells its state. */
  touch(ref: SessionRef): Awaitable<SessionState>;
  /** Ends a session, teardown included; rejects if there is none. */
  end(ref: SessionRef): Promise<void>;
  /** Whether it takes no new sessions. */
  readonly isDraining: boolean;
  /** Takes no new sessions, lets calls end for a while, then ends all sessions. Once, however often it is asked. */
  drain(): Promise<void>;
}
