import type { Estimate, PassRate, ReportData, Summary } from '../../../rollouts/index.ts';
import { STOPS } from '../../../rollouts/index.ts';
import { formatCount, formatDuration, formatNumber, formatShare } from '../report/format.ts';
import { toSafeText } from '../safe-text.ts';
import { toTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** What came of a run, for people. */
export function toSummaryLines(
  { summary, state, reasons }: Pick<ReportData, 'summary' | 'state' | 'reasons'>,
  { colors }: Terminal,
): string[] {
  const { bold, dim } = colors;
  const { episodes, reward, coverage, bounds, passAt, passAll } = summary;
  const rows = [
    ['reward', reward === null ? '-' : bold(describeEstimate(reward))],
    [
      'coverage',
      `${formatShare(coverage)}  (${formatNumber(episodes.valid)} of ${formatNumber(episodes.planned)} episodes count)`,
    ],
    ...(bounds === null || coverage === 1
      ? []
      : [
          [
            'if the rest',
            `had the least or greatest reward: ${bounds.least.toFixed(4)} to ${bounds.greatest.toFixed(4)}`,
          ],
        ]),
    ...(state.run.selection.k === 1
      ? []
      : [
          ['pass@k', describePasses(passAt)],
          ['pass^k', describePasses(passAll)],
        ]),
    ...(state.run.selection.k === 1 ? [['passed', describePasses(passAt).replace(/^1: /, '')]] : []),
    ['stops', describeAllStops(summary)],
    ...reasons.map(({ why, count }, at) => [at === 0 ? 'why' : '', `${formatNumber(count)}x ${toSafeText(why)}`]),
    ...describeSpent(summary),
    ...(episodes.excluded === 0
      ? []
      : [['excluded', `${formatCount(episodes.excluded, 'unfinished episode')} without a reward`]]),
    ...(episodes.unpaid === 0
      ? []
      : [['unpaid', `${formatCount(episodes.unpaid, 'episode')} finished without any reward, counted as 0`]]),
    ...(episodes.owed === 0
      ? []
      : [
          [
            'missing',
            `${formatCount(episodes.owed, 'episode')}; --resume plays ${episodes.owed === 1 ? 'it' : 'them'}`,
          ],
        ]),
  ];
  return [
    bold(toSafeText(describeRun(summary))),
    ...toTable(rows.map(([name = '', value = '']) => [`  ${dim(name)}`, value])),
  ];
}

/** Who played what. */
export function describeRun({ environment, split, agent, model, tasks }: Summary): string {
  const who = model === null ? agent : agent === 'model' ? model : `${agent} with ${model}`;
  return `${environment}, split ${split}, ${formatCount(tasks, 'task')}: ${who}`;
}

/** A mean with what is known of its uncertainty. */
export function describeEstimate({ mean, standardError, interval }: Estimate): string {
  const flat = standardError === null ? '' : ', no interval: all tasks scored the same';
  const method = interval === null ? flat : ` (${METHODS[interval.method]})`;
  return `${mean.toFixed(4)}${describeError({ standardError, interval })}${method}`;
}

/** What follows a mean or a difference: ± is the standard error everywhere, and an interval has two ends, since it need not lie around the mean. */
export function describeError({ standardError, interval }: Pick<Estimate, 'standardError' | 'interval'>): string {
  const error = standardError === null ? '' : ` ± ${standardError.toFixed(4)} (standard error)`;
  return interval === null ? error : `${error}, 95 %: ${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
}

const METHODS = { t: "Student's t", bootstrap: 'bootstrap', wilson: 'Wilson' };

/** Ways in which attempts failed for no fault of the agent, the most frequent first. */
export function describeStops(stops: Summary['stops']): string {
  return Object.entries(stops)
    .filter(([stop]) => !STOPS[stop as keyof typeof STOPS].counts)
    .sort(([, one], [, other]) => other - one)
    .map(([stop, count]) => `${stop} ${formatNumber(count)}`)
    .join(', ');
}

function describeAllStops({ stops }: Summary): string {
  const all = Object.entries(stops).sort(([, one], [, other]) => other - one);
  return all.length === 0 ? '-' : all.map(([stop, count]) => `${stop} ${formatNumber(count)}`).join(', ');
}

function describePasses(rates: readonly PassRate[]): string {
  return rates
    .map(
      ({ k, value, leftOut }) =>
        `${k}: ${value === null ? '-' : value.toFixed(4)}${leftOut === 0 ? '' : ` (${formatCount(leftOut, 'task')} left out)`}`,
    )
    .join('   ');
}

/** What is said behind a number of tokens that the model's server did not report. */
export function markOf({ estimated }: Summary['tokens']): string {
  return estimated === true ? ' (estimated)' : '';
}

function describeSpent({ tokens, usd, ms, steps }: Summary): string[][] {
  const spent = [
    formatCount(steps, 'call'),
    ...(tokens.input + tokens.output === 0
      ? []
      : [`${formatNumber(tokens.input)} tokens in, ${formatNumber(tokens.output)} out${markOf(tokens)}`]),
    ...(usd === 0 ? [] : [`$${usd.toFixed(2)}`]),
    `${formatDuration(ms)} of playing`,
  ];
  return [['spent', spent.join(', ')]];
}
