import type { Failure, Limits } from '../core/index.ts';
import type {
  EpisodeStart,
  Manifest,
  RunEnding,
  RunRequest,
  SessionRules,
  TaskQuery,
  ToolManifest,
  ToolRun,
  TraceHeaders,
} from '../sessions/index.ts';

// What goes between a server and its workers: plain data, and all of one turn in one array.

/** What a worker is told before all else. */
export interface WorkerPlan extends Pick<SessionRules, 'callsAfterFinish'> {
  /** Absolute paths. */
  readonly modules: readonly string[];
  /** The URL of a module whose `loadModules` loads them; left out, `loadDefinitions` does. */
  readonly loader?: string | undefined;
  /** Whether the server wants to know which files are imported. */
  readonly tellsImports: boolean;
  readonly limits: Limits;
  /** Whether inputs are read leniently. */
  readonly lenient: { readonly environments: boolean; readonly toolkits: boolean };
  /** Lines of the log below this one are not sent. */
  readonly logLevel: LogLevel;
  /** Which lines the watchdog of the worker writes; undefined: it has none. */
  readonly watchdog: { readonly level: number } | undefined;
}

/** The levels of a log, the least first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a worker has. */
export interface WorkerContents {
  /** Undefined where there are no environments. */
  readonly manifest: Manifest | undefined;
  readonly tools: readonly ToolManifest[];
  /** How long each tool may take: by environment and name, and of toolkits by id; 0: no limit. */
  readonly timeouts: { readonly [environment: string]: { readonly [tool: string]: number } };
  readonly toolTimeouts: { readonly [toolId: string]: number };
}

/** What a server tells a worker. Episodes, runs and questions have numbers that the server chooses. */
export type Order =
  | { readonly kind: 'load'; readonly plan: WorkerPlan }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'begin'; readonly episode: number; readonly trace: TraceHeaders | undefined }
  | { readonly kind: 'give_up_setup'; readonly episode: number; readonly limitMs: number }
  | {
      readonly kind: 'run';
      readonly run: number;
      readonly episode: number;
      readonly request: RunRequest;
      readonly trace: TraceHeaders | undefined;
    }
  | {
      readonly kind: 'run_tool';
      readonly run: number;
      readonly request: ToolRun;
      readonly trace: TraceHeaders | undefined;
    }
  | { readonly kind: 'abort'; readonly episode: number; readonly call: number; readonly reason: string }
  /** All that was told before it has had its first turn when this is answered. `at` comes back. */
  | { readonly kind: 'ping'; readonly at: number }
  | { readonly kind: 'stop' };

/** What has one answer. */
export type Question =
  | { readonly ask: 'tasks'; readonly query: TaskQuery }
  | { readonly ask: 'open'; readonly episode: number; readonly start: EpisodeStart }
  | { readonly ask: 'prompt' | 'tools'; readonly episode: number; readonly trace?: TraceHeaders | undefined }
  | { readonly ask: 'close'; readonly episode: number; readonly reason: string }
  | { readonly ask: 'check'; readonly toolId: string; readonly input: unknown }
  | { readonly ask: 'abort'; readonly call: number; readonly reason: string };

/** What a worker tells its server. */
export type Report =
  | { readonly kind: 'loaded'; readonly contents: WorkerContents }
  /** The URL of a file that is about to be imported. */
  | { readonly kind: 'import'; readonly url: string }
  | { readonly kind: 'broken'; readonly problem: StartProblem }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly failure: Failure }
  | {
      readonly kind: 'ready';
      readonly episode: number;
      readonly failure: Failure | undefined;
      readonly saved: string | undefined;
    }
  | RunReport
  | {
      readonly kind: 'log';
      readonly level: Exclude<LogLevel, 'silent'>;
      readonly fields: object;
      readonly message?: string | undefined;
    }
  | { readonly kind: 'pong'; readonly at: number };

/** How far a run has come: one report for all that happens to it within a turn. */
export interface RunReport {
  readonly kind: 'run';
  readonly run: number;
  /** Whether it was accepted since the last report, and whether its turn has come since then. */
  accepted: boolean;
  running: boolean;
  ending: RunEnding | undefined;
}

/** Why a worker has not started. */
export interface StartProblem {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** What the loader said besides, as plain data. */
  readonly problem?: unknown;
}
