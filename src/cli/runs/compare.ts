import { type Comparison, compareRuns } from '../../rollouts/index.ts';
import { formatShare } from '../shared/report/format.ts';
import { describeError, describeEstimate, describeRun } from '../shared/runs/summary-text.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import { processTerminal } from '../shared/terminal.ts';
import { refusing } from './refusals.ts';

/** Prints how two runs differ. */
export async function compare(
  first: string,
  second: string,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const terminal = processTerminal();
  const comparison = await refusing(() => compareRuns(first, second));
  if (json) return terminal.printJson(comparison);
  for (const line of toLines(comparison, [first, second])) terminal.print(line);
}

function toLines(comparison: Comparison, names: readonly [string, string]): string[] {
  const { difference, wins, losses, ties, tasks, leftOut, mcNemar } = comparison;
  const runs = [comparison.first, comparison.second].map((summary, at) => [
    names[at] ?? '',
    summary.reward === null ? '-' : describeEstimate(summary.reward),
    `coverage ${formatShare(summary.coverage)}`,
    toSafeText(describeRun(summary)),
  ]);
  const sign = difference > 0 ? '+' : '';
  return [
    ...toTable(runs),
    '',
    ...toTable([
      ['difference', `${sign}${difference.toFixed(4)}${describeError(comparison)}`],
      [
        'tasks',
        `${tasks} compared: ${wins} better, ${losses} worse, ${ties} the same${leftOut === 0 ? '' : `; ${leftOut} left out`}`,
      ],
      ...(mcNemar === null ? [] : [["McNemar's p", mcNemar.toPrecision(3)]]),
    ]),
  ];
}
