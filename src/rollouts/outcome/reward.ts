import type { Stop } from '../../records/index.ts';
import { STOPS } from './stops.ts';

/** How the rewards of the steps become the reward of the episode. */
export type RewardRule = 'sum' | 'last' | 'max' | 'mean';

/** What an episode counts for in which the agent stopped early, and nothing was paid. */
export type UnfinishedRule = 'zero' | 'exclude';

/** How episodes are scored. */
export interface Scoring {
  readonly reward: RewardRule;
  readonly unfinished: UnfinishedRule;
}

/** The reward of an attempt; null if the attempt does not count. */
export function scoreOf(stop: Stop, rewards: readonly number[], { reward, unfinished }: Scoring): number | null {
  const { counts, fault } = STOPS[stop];
  if (!counts) return null;
  if (rewards.length > 0) return RULES[reward](rewards);
  // An environment that finishes without paying has paid nothing; whether an agent that left early has is a choice.
  return fault === 'agent' && unfinished === 'exclude' ? null : 0;
}

const RULES: Readonly<Record<RewardRule, (rewards: readonly number[]) => number>> = {
  sum: total,
  last: (rewards) => rewards.at(-1) ?? 0,
  max: (rewards) => rewards.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY),
  mean: (rewards) => total(rewards) / rewards.length,
};

function total(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0);
}
