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
  readonly tokens: TokenCounts;
  readonly usd?: number;
  readonly ms: number;
  /** Why it did not finish. */
  readonly detail?: string;
}

/** Tokens that a model took. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Whether some of them are an estimate, because the model's server did not report them. */
  readonly estimated?: boolean;
}
