import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EpisodeLine } from './folder/episode-line.ts';
import { readLines } from './folder/line-file.ts';
import { RUN_FILES } from './folder/run-folder.ts';
import { RunState } from './run-state.ts';
import { type Summary, summarize } from './summary.ts';

/** A range of values, and how many fell into it. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** What a report shows of a run. */
export interface ReportData {
  readonly folder: string;
  readonly state: RunState;
  readonly summary: Summary;
  /** Rewards of the episodes that count. */
  readonly rewards: readonly Bin[];
  /** How long attempts took, in ms; and their tokens. Each range is twice as wide as the one before. */
  readonly times: readonly Bin[];
  readonly tokens: readonly Bin[];
}

const REWARD_BINS = 20;

/** Reads a run's files for a report. */
export async function readReportData(folder: string): Promise<ReportData> {
  const state = await RunState.read(folder);
  const { least, greatest } = state;
  const rewards = new Array<number>(REWARD_BINS).fill(0);
  const width = (greatest - least) / REWARD_BINS || 1;
  const [times, tokens] = [new Doublings(), new Doublings()];
  const episodes = join(folder, RUN_FILES.episodes);
  if (existsSync(episodes))
    for await (const line of readLines<EpisodeLine>(episodes)) {
      times.add(line.ms);
      tokens.add(line.tokens.input + line.tokens.output);
      if (line.reward === null) continue;
      const place = Math.min(REWARD_BINS - 1, Math.max(0, Math.floor((line.reward - least) / width)));
      rewards[place] = (rewards[place] ?? 0) + 1;
    }
  const bins = rewards.map((count, index) => ({ from: least + index * width, to: least + (index + 1) * width, count }));
  return {
    folder,
    state,
    summary: summarize(state),
    rewards: state.valid === 0 ? [] : bins,
    times: times.bins,
    tokens: tokens.bins,
  };
}

/** Counts by powers of two, from 1. */
class Doublings {
  readonly #counts: number[] = [];

  add(value: number): void {
    if (value <= 0) return;
    const place = Math.floor(Math.log2(Math.max(1, value)));
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  get bins(): Bin[] {
    const first = this.#counts.findIndex((count) => count > 0);
    if (first < 0) return [];
    return Array.from(this.#counts, (count = 0, place) => ({ from: 2 ** place, to: 2 ** (place + 1), count })).slice(
      first,
    );
  }
}
