import { RunFolderError } from './folder/run-folder.ts';
import { RunState } from './run-state.ts';
import { comparePairs, mcNemar, type PairedDifference } from './statistics/paired.ts';
import { type Summary, summarize } from './summary.ts';

/** How two runs on the same tasks differ. */
export interface Comparison extends PairedDifference {
  readonly first: Summary;
  readonly second: Summary;
  /** Tasks that have valid episodes in both; only they are compared. */
  readonly tasks: number;
  /** Tasks that only one of the runs has, or has valid episodes of. */
  readonly leftOut: number;
  /** The p value of McNemar's exact test; null unless rewards are 0 and 1, with one episode a task. */
  readonly mcNemar: number | null;
}

/** Compares two runs task by task. Refused if they are of different environments, or if a task is not the same in both. */
export async function compareRuns(firstFolder: string, secondFolder: string): Promise<Comparison> {
  const [first, second] = [await RunState.read(firstFolder), await RunState.read(secondFolder)];
  return compareStates([firstFolder, first], [secondFolder, second]);
}

/** The same of runs that were read already. */
export function compareStates([firstFolder, first]: NamedState, [secondFolder, second]: NamedState): Comparison {
  assertComparable([firstFolder, first], [secondFolder, second]);
  const indices = new Set([...first.tasks.keys(), ...second.tasks.keys()]);
  const shared = [...first.tasks.values()].flatMap((one) => {
    const other = second.tasks.get(one.index);
    return one.valid > 0 && other !== undefined && other.valid > 0 ? [{ one, other }] : [];
  });
  if (shared.length === 0)
    throw new RunFolderError(`${firstFolder} and ${secondFolder} have no task in common that counts in both`);
  const pairs = shared.map(({ one, other }) => ({ first: one.sum / one.valid, second: other.sum / other.valid }));
  const compared = comparePairs(pairs);
  const isSingle = shared.every(({ one, other }) => one.valid === 1 && other.valid === 1);
  return {
    first: summarize(first),
    second: summarize(second),
    tasks: shared.length,
    leftOut: indices.size - shared.length,
    ...compared,
    mcNemar: isSingle && first.isBinary && second.isBinary ? mcNemar(compared.wins, compared.losses) : null,
  };
}

/** A run, and its folder for messages. */
export type NamedState = readonly [folder: string, state: RunState];

function assertComparable([firstFolder, first]: NamedState, [secondFolder, second]: NamedState): void {
  for (const key of ['environment', 'split'] as const) {
    const [one, other] = [first.run.identity[key], second.run.identity[key]];
    if (one !== other)
      throw new RunFolderError(
        `these runs cannot be compared: ${key} '${one}' in ${firstFolder}, '${other}' in ${secondFolder}`,
      );
  }
  for (const { index, taskHash } of first.tasks.values()) {
    const other = second.tasks.get(index);
    if (other !== undefined && other.taskHash !== taskHash)
      throw new RunFolderError(
        `these runs cannot be compared: task ${index} is not the same in ${firstFolder} and ${secondFolder}`,
      );
  }
}
