import { type Bin, DoublingBins, EvenBins, type RunState } from '../../rollouts/index.ts';
import type { TaskFilter, TaskRow } from '../api.ts';
import { TASK_FILTERS } from '../select-tasks.ts';

/** What is said of a run beside its summary. */
export interface Overview {
  /** Rewards of the episodes that count, and times and tokens of the last attempts. */
  readonly rewards: readonly Bin[];
  readonly times: readonly Bin[];
  readonly tokens: readonly Bin[];
  /** How many tasks each filter leaves. */
  readonly counts: Readonly<Record<TaskFilter, number>>;
}

/** Looks once at all rows of a run. */
export function overviewOf(rows: Iterable<TaskRow>, { least, greatest, valid }: RunState): Overview {
  const rewards = new EvenBins(least, greatest);
  const [times, tokens] = [new DoublingBins(), new DoublingBins()];
  const counts = { failed: 0, passed: 0, different: 0, missing: 0 };
  const filters = Object.entries(TASK_FILTERS) as [TaskFilter, (row: TaskRow) => boolean][];
  for (const row of rows) {
    for (const [name, fits] of filters) if (fits(row)) counts[name] += 1;
    for (const cell of row.cells) {
      if (cell === null) continue;
      times.add(cell.ms);
      tokens.add(cell.tokens);
      if (cell.reward !== null) rewards.add(cell.reward);
    }
  }
  return { rewards: valid === 0 ? [] : rewards.bins, times: times.bins, tokens: tokens.bins, counts };
}
