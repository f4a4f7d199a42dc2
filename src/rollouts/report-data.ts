import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EpisodeLine } from './folder/episode-line.ts';
import { readLines } from './folder/line-file.ts';
import { RUN_FILES } from './folder/run-folder.ts';
import { type Reason, Reasons } from './reasons.ts';
import { RunState } from './run-state.ts';
import { type Bin, DoublingBins, EvenBins } from './statistics/bins.ts';
import { type Summary, summarize } from './summary.ts';

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
  /** Why attempts did not finish. */
  readonly reasons: readonly Reason[];
}

/** Reads a run's files for a report. */
export async function readReportData(folder: string): Promise<ReportData> {
  const state = await RunState.read(folder);
  const rewards = new EvenBins(state.least, state.greatest);
  const [times, tokens] = [new DoublingBins(), new DoublingBins()];
  const reasons = new Reasons();
  const episodes = join(folder, RUN_FILES.episodes);
  if (existsSync(episodes))
    for await (const line of readLines<EpisodeLine>(episodes)) {
      times.add(line.ms);
      tokens.add(line.tokens.input + line.tokens.output);
      if (line.reward !== null) rewards.add(line.reward);
      reasons.add(line.detail);
    }
  return {
    folder,
    state,
    summary: summarize(state),
    rewards: state.valid === 0 ? [] : rewards.bins,
    times: times.bins,
    tokens: tokens.bins,
    reasons: reasons.top,
  };
}
