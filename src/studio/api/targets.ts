import type { JsonObject, Split, ToolDefinition, ToolSpec } from '../../protocol/index.ts';
import type { Problem } from './problem.ts';

/** A server that the studio talks to. */
export interface Target {
  readonly id: string;
  /** As it was named: a URL, or the path of a module. */
  readonly name: string;
  readonly url: string;
  /** `down`: it was not there at the last look; the studio goes on looking. */
  readonly status: 'looking' | 'up' | 'down';
  /** The protocols that it speaks; both, one, or none if it was never there. */
  readonly protocols: readonly ('ors' | 'oxp')[];
  /** Null until it has answered. */
  readonly make: 'tiltyard' | 'foreign' | null;
  /** Whether the studio started it, from a module. */
  readonly isModule: boolean;
  /** Whether the studio has a key for it. The key itself never leaves the studio's server. */
  readonly hasKey: boolean;
  /** Whether it tells what happens (`GET /events`): `off` needs `--events`, `foreign` never does. Null until known. */
  readonly live: 'on' | 'off' | 'foreign' | 'forbidden' | null;
  /** How often it was found again after it had been away; a change means that open sessions may be gone. */
  readonly reconnects: number;
  /** When its status last changed, in ms since 1970. */
  readonly since: number;
  /** Why it is down. */
  readonly problem: Problem | null;
}

/** A server to add. Modules are named on the command line only. */
export interface NewTarget {
  readonly url: string;
  /** Kept in the memory of the studio's server, and never sent back. */
  readonly apiKey?: string;
}

/** An environment: its splits, the tools that every episode has, and the secrets that one needs to begin. */
export interface EnvironmentInfo {
  readonly name: string;
  readonly splits: readonly SplitInfo[];
  readonly tools: readonly ToolSpec[];
  /** Names of secrets without which no episode begins; none where the server does not tell. */
  readonly secrets: readonly string[];
}

/** A split with its size. */
export interface SplitInfo extends Split {
  /** Null if the server does not tell. */
  readonly count: number | null;
}

/** A range of tasks. */
export interface TaskPage {
  readonly start: number;
  readonly total: number | null;
  readonly tasks: readonly JsonObject[];
}

/** The tools of a server that belong together, by the first part of their ids. */
export interface ToolkitInfo {
  readonly name: string;
  /** All versions; the newest of each tool first. */
  readonly tools: readonly ToolDefinition[];
}
