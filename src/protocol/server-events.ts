import type { JsonObject, JsonValue } from './json.ts';
import type { WireBlock } from './ors.ts';
import type { CallOutcome, EpisodeOutcome } from './outcome.ts';

/** A session as `GET /events` tells of it: always all that is known, so that an event that was missed is made up for by the next. */
export interface WatchedSession {
  readonly sid: string;
  readonly environment: string;
  /** Whose it is; empty where nobody is known. */
  readonly identity: string;
  /** Null where the client brought its own task. */
  readonly split: string | null;
  readonly index: number | null;
  readonly started_at: number;
  readonly state: 'setup' | 'open' | 'ended';
  readonly calls: number;
  /** How many of them have not ended. */
  readonly running: number;
  readonly last_tool: string | null;
  readonly last_at: number;
  /** The sum so far; null if nothing was paid. */
  readonly reward: number | null;
  /** Whether a step has ended the episode: its session may stay open long after that. */
  readonly finished: boolean;
  /** Null while it is open, and for one that goes on after a restart of its server. */
  readonly outcome: EpisodeOutcome | null;
}

/** A call as `GET /events` tells of it. */
export interface WatchedCall {
  /** ORS's `task_id`, OXP's `call_id`. */
  readonly id: string;
  readonly tool: string;
  /** Null while it runs, as is `outcome`. */
  readonly ms: number | null;
  readonly outcome: CallOutcome | null;
  readonly reward: number | null;
  readonly finished: boolean;
}

/** What `GET /events` tells, each as the data of one server-sent event; `at` is in ms since 1970. */
export type ServerEvent =
  /** The first event: all open sessions. */
  | { readonly type: 'sessions'; readonly at: number; readonly sessions: readonly WatchedSession[] }
  /** A session began, was set up, or ended. */
  | { readonly type: 'session'; readonly at: number; readonly session: WatchedSession }
  /** A call began or ended; `session` is null for a tool of a toolkit. */
  | {
      readonly type: 'call';
      readonly at: number;
      readonly session: WatchedSession | null;
      readonly call: WatchedCall;
    }
  /** Events were left out since the last one, because they came faster than they were read; `count` is of all so far. */
  | { readonly type: 'dropped'; readonly at: number; readonly count: number }
  /** Only with `content`: what the agent reads first. */
  | { readonly type: 'prompt'; readonly at: number; readonly sid: string; readonly blocks: readonly WireBlock[] }
  /** Only with `content`: what a call asks for. */
  | {
      readonly type: 'input';
      readonly at: number;
      readonly sid: string;
      readonly call: string;
      readonly tool: string;
      readonly input: JsonValue;
    }
  /** Only with `content`: how a call ended, as in records. */
  | WatchedOutput;

/** All that is told of the end of a call. */
export interface WatchedOutput {
  readonly type: 'output';
  readonly at: number;
  readonly sid: string;
  readonly call: string;
  readonly ms: number;
  readonly outcome: CallOutcome;
  /** Where it returned. */
  readonly blocks?: readonly WireBlock[];
  readonly reward?: number | null;
  readonly finished?: boolean;
  readonly metadata?: JsonObject | null;
  /** Where it did not. */
  readonly failure?: { readonly reason: string; readonly message: string; readonly code?: string };
}
