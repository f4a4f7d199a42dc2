import type { EpisodeOutcome } from '../../protocol/index.ts';
import type { Fault, Stop } from '../../records/index.ts';
import type { PlannedEpisode } from './plan-file.ts';

/** One line of `episodes.jsonl`: an attempt at an episode that has ended. */
export interface EpisodeLine extends Omit<PlannedEpisode, 'cluster'> {
  /** Which try this was, from 1. Its record is `events/<episode>.<attempt>.jsonl`. */
  readonly attempt: number;
  readonly outcome: EpisodeOutcome;
  readonly stop: Stop;
  readonly fault: Fault;
  /** Null if the attempt does not count. */
  readonly reward: number | null;
  /** What was paid, step by step. */
  readonly rewards: readonly number[];
  /** How many calls there were. */
  readonly steps: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly usd?: number;
  readonly ms: number;
  /** Why it did not finish. */
  readonly detail?: string;
}
