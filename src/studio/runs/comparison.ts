import { compareStates, RunFolderError, type TaskScore } from '../../rollouts/index.ts';
import type { ComparedTable, ComparedTask, ReadableRun, RunChange, RunComparison } from '../api.ts';
import type { RunIndex } from './run-index.ts';

const MOST_POINTS = 2_000;

/** How two runs of the same tasks differ; throws if they cannot be compared. */
export function compareIndexes(
  first: RunIndex,
  second: RunIndex,
  heads: { readonly first: ReadableRun; readonly second: ReadableRun },
): RunComparison {
  const compared = compareStates([first.folder, first.state], [second.folder, second.state]);
  return { ...compared, ...heads, points: evenly(comparedTasks(first, second), MOST_POINTS) };
}

/** The tasks that differ, the greatest difference first. */
export function differingTasks(
  first: RunIndex,
  second: RunIndex,
  { start, stop }: { readonly start: number; readonly stop: number },
): ComparedTable {
  const differing = comparedTasks(first, second)
    .filter((task) => task.first !== task.second)
    .sort((one, other) => sizeOf(other) - sizeOf(one) || one.index - other.index);
  const rows = differing.slice(start, stop).map((task) => ({
    ...task,
    firstCells: first.cellsOf(task.index),
    secondCells: second.cellsOf(task.index),
  }));
  return { total: differing.length, start, rows };
}

/** How a run changed against the one before; null if the two have nothing in common. */
export function changeAgainst(before: RunIndex, now: RunIndex, id: string): RunChange | null {
  try {
    const { difference, interval } = compareStates([before.folder, before.state], [now.folder, now.state]);
    return { against: id, difference, interval };
  } catch (thrown) {
    // Other tasks under the same name: there is nothing to say.
    if (thrown instanceof RunFolderError) return null;
    throw thrown;
  }
}

function comparedTasks(first: RunIndex, second: RunIndex): ComparedTask[] {
  return [...first.state.tasks.values()].flatMap((one) => {
    const other = second.state.tasks.get(one.index);
    if (other === undefined || one.valid === 0 || other.valid === 0) return [];
    return [{ index: one.index, first: meanOf(one), second: meanOf(other) }];
  });
}

function meanOf({ sum, valid }: TaskScore): number {
  return sum / valid;
}

function sizeOf({ first, second }: ComparedTask): number {
  return Math.abs(second - first);
}

function evenly<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, at) => at % every === 0);
}
