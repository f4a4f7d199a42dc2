import type { EpisodeOutcome, JsonObject, WireBlock } from '../../protocol/index.ts';
import type { EpisodeEvent, Fault, RecordEvent, Stop } from '../../records/index.ts';
import type {
  Bin,
  Comparison,
  EpisodeLine,
  Interval,
  PassRate,
  RunIdentity,
  Selection,
  Summary,
} from '../../rollouts/index.ts';
import type { Problem } from './problem.ts';

/** A run in the table of runs: `problem` tells one that cannot be read from the others. */
export type RunHead = ReadableRun | UnreadableRun;

interface RunPlace {
  readonly id: string;
  /** The last part of its folder's path. */
  readonly name: string;
  readonly folder: string;
}

/** A folder of which no more is known than that it should have a run in it. */
export interface UnreadableRun extends RunPlace {
  /** Why it cannot be read. */
  readonly problem: Problem;
}

/** A run; its numbers are those of its files at this moment. */
export interface ReadableRun extends RunPlace {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly target: string;
  readonly identity: RunIdentity;
  readonly selection: Selection;
  readonly tags: Readonly<Record<string, string>>;
  /** Whether a process is playing it now. */
  readonly isLive: boolean;
  readonly summary: Summary;
  /** Against the run before it of the same environment and split; null if there is none. */
  readonly change: RunChange | null;
  readonly problem: null;
}

/** How the mean reward changed. */
export interface RunChange {
  /** The id of the run before. */
  readonly against: string;
  /** This one minus the one before. */
  readonly difference: number;
  /** 95 %, over the tasks that both have; null if it cannot be said. */
  readonly interval: Interval | null;
}

/** One run. */
export interface RunDetail extends ReadableRun {
  /** The least reward with which an episode counts as passed. */
  readonly pass: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly git: { readonly commit: string; readonly isDirty: boolean } | null;
  /** Rewards of the episodes that count; times (ms) and tokens of attempts, in doubling ranges. */
  readonly rewards: readonly Bin[];
  readonly times: readonly Bin[];
  readonly tokens: readonly Bin[];
  readonly passAt: readonly PassRate[];
  /** How many tasks each filter leaves. */
  readonly counts: Readonly<Record<TaskFilter, number>>;
}

/** Which rows of the table of tasks are wanted; everything is optional. */
export interface TaskQuery {
  /** Rows after filtering and sorting, from `start` to before `stop`. Default: 0 to 100; at most 1,000. */
  readonly start?: number;
  readonly stop?: number;
  /** Default: index. A task without a mean comes last. */
  readonly sort?: 'index' | 'mean' | 'spread' | 'steps' | 'tokens' | 'ms';
  readonly order?: 'asc' | 'desc';
  readonly filter?: TaskFilter;
  /** Only tasks with an episode that ended in this way. */
  readonly stop_reason?: Stop;
  /** Only tasks with this text, whatever its case: in index, way of ending, detail, or what was said in an episode. `#7`: task 7. */
  readonly text?: string;
}

/** failed: some episode did not pass. different: repeats did not all get the same reward. missing: some do not count yet. */
export type TaskFilter = 'failed' | 'passed' | 'different' | 'missing';

/** Some rows of the table of tasks. */
export interface TaskTable {
  /** How many tasks the run has, and how many of them fit the filter. */
  readonly total: number;
  readonly matched: number;
  readonly start: number;
  readonly rows: readonly TaskRow[];
  /** With `text`: how far its search is. What is found comes meanwhile: ask again while it goes on, or it stops. */
  readonly search?: SearchProgress;
}

/** How many records a search has read, of those that there are. */
export interface SearchProgress {
  readonly read: number;
  readonly total: number;
}

/** A task of a run with its repeats. */
export interface TaskRow {
  readonly index: number;
  /** Of the episodes that count; null if none does. */
  readonly mean: number | null;
  /** The greatest reward minus the least; null if none counts. */
  readonly spread: number | null;
  readonly valid: number;
  readonly passed: number;
  /** One for each repeat, in order; null where nothing was played yet. */
  readonly cells: readonly (TaskCell | null)[];
}

/** The last attempt at one episode. */
export interface TaskCell {
  readonly episode: number;
  readonly attempt: number;
  /** Null: it does not count. */
  readonly reward: number | null;
  readonly outcome: EpisodeOutcome;
  readonly stop: Stop;
  readonly fault: Fault;
  readonly steps: number;
  readonly tokens: number;
  readonly ms: number;
  /** The text that was looked for is in its record; left out otherwise. */
  readonly hasText?: true;
}

/** One attempt at an episode. */
export interface EpisodeDetail {
  readonly episode: number;
  readonly attempt: number;
  /** All attempts there are, in order. */
  readonly attempts: readonly number[];
  /** Undefined while it is being played. */
  readonly line: EpisodeLine | null;
  /** The first event of its record. */
  readonly head: EpisodeEvent | null;
  /** The neighbours in the order of the run; null at its ends. */
  readonly previous: number | null;
  readonly next: number | null;
  readonly events: EventPage;
}

/** Some events of a record, in order: from `start`, and as many as fit into an answer. */
export interface EventPage {
  readonly start: number;
  readonly events: readonly RecordEvent[];
  /** Where the next page begins; null if this is the last. */
  readonly next: number | null;
}

/** A record outside of any run, of a server or of a game: `problem` tells one that cannot be read from the others. */
export type RecordHead = ReadableRecord | UnreadableRecord;

interface RecordPlace {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** A file that should be a record. */
export interface UnreadableRecord extends RecordPlace {
  /** Why it cannot be read. */
  readonly problem: Problem;
}

/** A record, as its first event tells of it. */
export interface ReadableRecord extends RecordPlace {
  readonly environment: string;
  readonly split: string | null;
  readonly index: number | null;
  readonly task: JsonObject | null;
  readonly at: number;
  readonly problem: null;
}

/** Some of the records. */
export interface RecordPage {
  readonly total: number;
  readonly start: number;
  readonly records: readonly RecordHead[];
}

/** One record. */
export interface RecordDetail extends ReadableRecord {
  readonly prompt: readonly WireBlock[] | null;
  readonly events: EventPage;
}

/** Two runs of the same tasks: their heads in the place of their summaries. */
export interface RunComparison extends Omit<Comparison, 'first' | 'second'> {
  readonly first: ReadableRun;
  readonly second: ReadableRun;
  /** For a scatter plot: at most 2,000 tasks, evenly chosen. */
  readonly points: readonly ComparedTask[];
}

/** A task in two runs; means of the episodes that count. */
export interface ComparedTask {
  readonly index: number;
  readonly first: number;
  readonly second: number;
}

/** Some of the tasks that differ between two runs, the greatest difference first. */
export interface ComparedTable {
  readonly total: number;
  readonly start: number;
  readonly rows: readonly ComparedRow[];
}

/** A task that differs, with its episodes in both runs. */
export interface ComparedRow extends ComparedTask {
  readonly firstCells: readonly (TaskCell | null)[];
  readonly secondCells: readonly (TaskCell | null)[];
}
