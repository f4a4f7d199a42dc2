import { type Reason, Reasons } from './reasons.ts';
import { RunState, readAttempts } from './run-state.ts';
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
  for await (const line of readAttempts(folder)) {
    times.add(line.ms);
    tokens.add(line.tokens.input + line.tokens.output);
    if (line.reward !== null && state.isCurrent(line)) rewards.add(line.reward);
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
