import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault, Stop } from '../records/index.ts';
import type { EpisodeLine } from './folder/episode-line.ts';
import { readLines } from './folder/line-file.ts';
import type { PlannedEpisode } from './folder/plan-file.ts';
import type { RunFile, Selection } from './folder/run-file.ts';
import { RUN_FILES, readRunFile } from './folder/run-folder.ts';

/** A task of a run, and what its episodes scored. */
export interface TaskScore {
  readonly index: number;
  readonly taskHash: string | null;
  readonly cluster: string | undefined;
  /** The first of its episodes since it is what it is: a task may change, and change back. */
  readonly since: number;
  /** How many of its episodes count, what they scored together, and how many passed. */
  valid: number;
  sum: number;
  passed: number;
}

/** What was counted over all attempts, those that were tried again included. */
export interface AttemptCounts {
  readonly stops: Partial<Record<Stop, number>>;
  readonly faults: Partial<Record<Fault, number>>;
  readonly tokens: { input: number; output: number; estimated?: boolean };
  usd: number;
  ms: number;
  steps: number;
}

/** A run as far as it has come: what its files say, and every attempt that ends from now on. */
export class RunState {
  readonly run: RunFile;
  /** By the task's index. */
  readonly tasks: Map<number, TaskScore> = new Map();
  readonly counts: AttemptCounts = { stops: {}, faults: {}, tokens: { input: 0, output: 0 }, usd: 0, ms: 0, steps: 0 };
  /** Episodes that need no further attempt. */
  readonly #done = new Set<number>();
  valid = 0;
  unpaid = 0;
  least: number = Number.POSITIVE_INFINITY;
  greatest: number = Number.NEGATIVE_INFINITY;
  /** Whether each reward is 0 or 1. */
  isBinary = true;

  constructor(run: RunFile) {
    this.run = run;
  }

  /** Reads what the files of a run say. */
  static async read(folder: string, run: RunFile = readRunFile(folder)): Promise<RunState> {
    const state = new RunState(run);
    for await (const planned of readPlan(folder, run.selection)) state.addPlanned(planned);
    for await (const line of readAttempts(folder)) state.addEnded(line);
    return state;
  }

  get planned(): number {
    return this.tasks.size * this.run.selection.k;
  }

  get done(): number {
    return this.#done.size;
  }

  addPlanned({ episode, index, taskHash, cluster }: PlannedEpisode): void {
    // A task that has changed is planned again, and counts from there.
    if (this.tasks.has(index) && this.tasks.get(index)?.taskHash === taskHash) return;
    this.tasks.set(index, { index, taskHash, cluster, since: episode, valid: 0, sum: 0, passed: 0 });
  }

  /** Whether an episode, planned or played, is one of this run as it is now. */
  isCurrent({ episode, index, repeat }: Pick<PlannedEpisode, 'episode' | 'index' | 'repeat'>): boolean {
    const task = this.tasks.get(index);
    return task !== undefined && episode >= task.since && repeat < this.run.selection.k;
  }

  /** Adds an attempt that has ended; returns its task if its reward counts. */
  addEnded(line: EpisodeLine): TaskScore | undefined {
    this.#count(line);
    if (!this.isCurrent(line) || !isSettled(line) || this.#done.has(line.episode)) return undefined;
    this.#done.add(line.episode);
    if (line.stop === 'finished' && line.rewards.length === 0) this.unpaid += 1;
    return line.reward === null ? undefined : this.#score(this.tasks.get(line.index) as TaskScore, line.reward);
  }

  /** Whether an episode is still to be played. */
  isOwed(planned: PlannedEpisode): boolean {
    return !this.#done.has(planned.episode) && this.isCurrent(planned);
  }

  #score(task: TaskScore, reward: number): TaskScore {
    task.valid += 1;
    task.sum += reward;
    if (reward >= this.run.pass) task.passed += 1;
    this.valid += 1;
    this.least = Math.min(this.least, reward);
    this.greatest = Math.max(this.greatest, reward);
    if (reward !== 0 && reward !== 1) this.isBinary = false;
    return task;
  }

  #count({ stop, fault, tokens, usd = 0, ms, steps }: EpisodeLine): void {
    const { counts } = this;
    counts.stops[stop] = (counts.stops[stop] ?? 0) + 1;
    counts.faults[fault] = (counts.faults[fault] ?? 0) + 1;
    counts.tokens.input += tokens.input;
    counts.tokens.output += tokens.output;
    if (tokens.estimated === true) counts.tokens.estimated = true;
    counts.usd += usd;
    counts.ms += ms;
    counts.steps += steps;
  }
}

/** The planned episodes that are part of a run as it is now, one by one. */
export async function* readPlan(folder: string, selection: Selection): AsyncGenerator<PlannedEpisode, void> {
  const isSelected = selectionFilter(selection);
  for await (const planned of readLines<PlannedEpisode>(join(folder, RUN_FILES.plan)))
    if (isSelected(planned)) yield planned;
}

/** The attempts that count, one by one. */
export async function* readCounted(folder: string, state: RunState): AsyncGenerator<CountedLine, void> {
  const seen = new Set<number>();
  for await (const line of readAttempts(folder)) {
    if (line.reward === null || !state.isCurrent(line) || seen.has(line.episode)) continue;
    seen.add(line.episode);
    yield line as CountedLine;
  }
}

/** An attempt that counts. */
export type CountedLine = EpisodeLine & { readonly reward: number };

/** All attempts that have ended, one by one; none before the first. */
export async function* readAttempts(folder: string): AsyncGenerator<EpisodeLine, void> {
  const episodes = join(folder, RUN_FILES.episodes);
  if (existsSync(episodes)) yield* readLines<EpisodeLine>(episodes);
}

/** Tells which planned episodes are part of a run as it is now. */
export function selectionFilter({ k, indices, from, n }: Selection): (planned: PlannedEpisode) => boolean {
  const listed = indices === null ? undefined : new Set(indices);
  return ({ index, repeat }) => {
    const isAsked = listed?.has(index) ?? (index >= from && (n === null || index < from + n));
    return repeat < k && isAsked;
  };
}

/** Whether nothing more is to be played of an episode: it finished, or the agent ended it. */
function isSettled({ fault }: EpisodeLine): boolean {
  return fault === 'none' || fault === 'agent';
}
