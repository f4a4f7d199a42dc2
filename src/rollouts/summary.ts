import type { Fault, Stop } from '../records/index.ts';
import type { TokenCounts } from './folder/episode-line.ts';
import type { RunState, TaskScore } from './run-state.ts';
import { type Estimate, estimate } from './statistics/estimate.ts';
import { type PassRate, passAll, passAt } from './statistics/passes.ts';

/** What came of a run: `summary.json`. */
export interface Summary {
  readonly environment: string;
  readonly split: string;
  readonly agent: string;
  readonly model: string | null;
  readonly tasks: number;
  readonly episodes: EpisodeCounts;
  /** Which share of the planned episodes counts. */
  readonly coverage: number;
  /** Null if no episode counts. */
  readonly reward: Estimate | null;
  /** The mean if all episodes that are missing had the least, or the greatest, reward seen. */
  readonly bounds: { readonly least: number; readonly greatest: number } | null;
  readonly passAt: readonly PassRate[];
  readonly passAll: readonly PassRate[];
  /** How many attempts ended in which way, those that were tried again included. */
  readonly stops: Readonly<Partial<Record<Stop, number>>>;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly tokens: TokenCounts;
  readonly usd: number;
  /** The time that all attempts took together. */
  readonly ms: number;
  readonly steps: number;
}

/** Episodes of a run, counted. */
export interface EpisodeCounts {
  readonly planned: number;
  /** Those that count. */
  readonly valid: number;
  /** Played to their end, but left out by `--unfinished exclude`. */
  readonly excluded: number;
  /** Still to be played: `--resume` does. */
  readonly owed: number;
  /** Finished without any reward; they count as 0. */
  readonly unpaid: number;
}

/** Says what came of a run so far. */
export function summarize(state: RunState): Summary {
  const { run, tasks, planned, done, valid, unpaid, counts } = state;
  const { environment, split, agent, model, seed, cluster } = run.identity;
  const scores = [...tasks.values()];
  const ks = powersUpTo(run.selection.k);
  const scored = scores.filter((task) => task.valid > 0);
  return {
    environment,
    split,
    agent,
    model,
    tasks: tasks.size,
    episodes: { planned, valid, excluded: done - valid, owed: planned - done, unpaid },
    coverage: planned === 0 ? 0 : valid / planned,
    reward: estimate(scored, { seed, isClustered: cluster !== null, isBinary: state.isBinary }),
    bounds: toBounds(scores, state),
    passAt: ks.map((k) => passAt(scores, k)),
    passAll: ks.map((k) => passAll(scores, k)),
    ...counts,
  };
}

/** 1, 2, 4, ... and the number itself. */
function powersUpTo(k: number): number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(k)) + 1 }, (_, index) => 2 ** index);
  return powers.includes(k) ? powers : [...powers, k];
}

function toBounds(scores: readonly TaskScore[], { run, least, greatest }: RunState): Summary['bounds'] {
  if (least > greatest) return null;
  const { k } = run.selection;
  const withMissing = (missing: number) =>
    scores.reduce((total, { sum, valid }) => total + (sum + (k - valid) * missing) / k, 0) / scores.length;
  return { least: withMissing(least), greatest: withMissing(greatest) };
}
