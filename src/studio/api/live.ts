import type { CallOutcome, EpisodeOutcome, JsonValue, WireBlock } from '../../protocol/index.ts';
import type { Problem } from './problem.ts';

/** All sessions of a server, as far as it tells. */
export interface LiveSnapshot {
  /** `off`, `foreign`, `forbidden`: as in `Target.live`; `lost`: the server is away, and is looked for. */
  readonly status: 'on' | 'connecting' | 'lost' | 'off' | 'foreign' | 'forbidden';
  /** Open sessions, and those that ended within the last minute; the oldest first. */
  readonly sessions: readonly LiveSession[];
  /** Events that were left out because they came faster than they could be told. */
  readonly dropped: number;
  /** What the server tells cannot be read, or is more than is kept here. */
  readonly problem: Problem | null;
}

/** A session of a server, whoever plays it. */
export interface LiveSession {
  readonly sid: string;
  readonly environment: string;
  /** Whose it is; empty where nobody is known. */
  readonly identity: string;
  /** Null where the client brought its own task. */
  readonly split: string | null;
  readonly index: number | null;
  readonly startedAt: number;
  readonly state: 'setup' | 'open' | 'ended';
  readonly calls: number;
  /** How many of them run now. */
  readonly running: number;
  readonly lastTool: string | null;
  readonly lastAt: number;
  /** The sum so far; null if nothing was paid. */
  readonly reward: number | null;
  /** Whether its episode is over, though its session may still be open. */
  readonly finished: boolean;
  /** How it ended; null while it is open. */
  readonly outcome: EpisodeOutcome | null;
}

/** A session that is followed. */
export interface FollowSnapshot {
  /** Null if the server has no such session, or no longer. */
  readonly session: LiveSession | null;
  /** What is known of its calls; those that ended before anybody followed have no input and no result. */
  readonly steps: readonly LiveStep[];
  /** Why nothing more is told of it, where that is known. */
  readonly problem: Problem | null;
}

/** A call in somebody's session. */
export interface LiveStep {
  /** Unique in its session. */
  readonly id: string;
  readonly tool: string;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly ms: number | null;
  readonly outcome: CallOutcome | null;
  readonly reward: number | null;
  readonly finished: boolean;
  /** Undefined where it is not known. */
  readonly input?: JsonValue;
  readonly blocks?: readonly WireBlock[];
  /** What was told of a failure. */
  readonly error?: string;
}
