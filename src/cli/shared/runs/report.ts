import type { Bin, ReportData, TaskScore } from '../../../rollouts/index.ts';
import { linearAxis, namedAxis } from '../report/axis.ts';
import { toFigure } from '../report/chart.ts';
import { escapeHtml } from '../report/escape.ts';
import { formatDuration, formatNumber, formatShare } from '../report/format.ts';
import { tile, toHtmlTable, toPage } from '../report/page.ts';
import { describeEstimate, describeRun, markOf } from './summary-text.ts';

/** The report of a run as one file: it loads nothing, runs nothing, and shows text of others as text. */
export function toRunReport(data: ReportData, now: Date): string {
  const { summary, state, folder } = data;
  const { run } = state;
  const title = describeRun(summary);
  const written = `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC, begun ${run.createdAt.slice(0, 16).replace('T', ' ')} UTC, Tiltyard ${run.versions.tiltyard ?? ''}, seed ${run.identity.seed}. ${folder}`;
  return toPage(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p class="soft">${escapeHtml(written)}</p>
<div class="tiles">${toTiles(data).join('')}</div>
${summary.reward === null ? '<p class="bad">No episode counts.</p>' : `<p>${escapeHtml(`Mean reward ${describeEstimate(summary.reward)}`)}</p>`}
${rewardPlot(data)}${doublingPlot(data.times, { title: 'Time: how long attempts took', xName: 'time', format: formatDuration })}${doublingPlot(data.tokens, { title: `Tokens of attempts${markOf(summary.tokens)}`, xName: 'tokens', format: formatNumber })}
${toStops(data)}
${toPasses(data)}
${toTasks(data)}`,
  );
}

function toTiles({ summary }: ReportData): string[] {
  const { reward, coverage, episodes, tokens, usd, ms, passAt } = summary;
  const [first] = passAt;
  return [
    tile('mean reward', reward === null ? '-' : reward.mean.toFixed(4)),
    tile('coverage', formatShare(coverage), coverage < 1 ? 'bad' : ''),
    ...(first?.value == null ? [] : [tile('pass@1', formatShare(first.value))]),
    tile('episodes that count', formatNumber(episodes.valid)),
    ...(episodes.owed === 0 ? [] : [tile('missing', formatNumber(episodes.owed), 'bad')]),
    ...(tokens.input + tokens.output === 0
      ? []
      : [tile(`tokens${markOf(tokens)}`, formatNumber(tokens.input + tokens.output))]),
    ...(usd === 0 ? [] : [tile('cost', `$${usd.toFixed(2)}`)]),
    tile('of playing', formatDuration(ms)),
  ];
}

function rewardPlot({ rewards }: ReportData): string {
  const [first, last] = [rewards[0], rewards.at(-1)];
  if (first === undefined || last === undefined) return '';
  const span = last.to - first.from || 1;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => first.from + share * span);
  return toFigure({
    title: 'Rewards of the episodes that count',
    xName: 'reward',
    yName: 'episodes',
    x: {
      place: (value) => (value - first.from) / span,
      ticks: ticks.map((value) => ({ value, label: String(Number(value.toPrecision(3))) })),
    },
    y: linearAxis(Math.max(...rewards.map(({ count }) => count)), formatNumber),
    series: [{ name: 'rewards', shape: 'area', points: toSteps(rewards) }],
  });
}

interface DoublingOptions {
  readonly title: string;
  readonly xName: string;
  readonly format: (value: number) => string;
}

function doublingPlot(bins: readonly Bin[], { title, xName, format }: DoublingOptions): string {
  if (bins.length === 0) return '';
  const edges = [...bins.map(({ from }) => from), bins.at(-1)?.to ?? 1];
  // A label for each would be too many.
  const every = Math.ceil(edges.length / 8);
  const ticks = edges.filter((_, index) => index % every === 0 || index === edges.length - 1);
  return toFigure({
    title,
    xName,
    yName: 'attempts',
    x: namedAxis(ticks.map((value) => ({ value, label: format(value) }))),
    y: linearAxis(Math.max(...bins.map(({ count }) => count)), formatNumber),
    series: [{ name: title, shape: 'area', points: toSteps(bins) }],
  });
}

// A range has one height from end to end.
function toSteps(bins: readonly Bin[]): { x: number; y: number }[] {
  return bins.flatMap(({ from, to, count }) => [
    { x: from, y: count },
    { x: to, y: count },
  ]);
}

function toStops({ summary, reasons }: ReportData): string {
  const all = Object.entries(summary.stops).sort(([, one], [, other]) => other - one);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return '';
  const rows = all.map(([stop, count]) => [stop, formatNumber(count), formatShare(count / total)]);
  const why = reasons.map((reason) => [reason.why, formatNumber(reason.count)]);
  const causes = why.length === 0 ? '' : toHtmlTable(['why they did not finish', 'attempts'], why);
  return `<h2>How attempts ended</h2>${toHtmlTable(['stop', 'attempts', 'share'], rows)}${causes}`;
}

function toPasses({ summary, state }: ReportData): string {
  if (state.run.selection.k === 1) return '';
  const rows = summary.passAt.map(({ k, value, leftOut }, index) => [
    String(k),
    value === null ? '-' : formatShare(value),
    toShare(summary.passAll[index]?.value ?? null),
    formatNumber(leftOut),
  ]);
  return `<h2>Passing with k episodes</h2>${toHtmlTable(['k', 'at least one (pass@k)', 'all (pass^k)', 'tasks left out'], rows)}`;
}

function toShare(value: number | null): string {
  return value === null ? '-' : formatShare(value);
}

const MOST_TASKS = 500;

function toTasks({ state }: ReportData): string {
  const { k } = state.run.selection;
  const mean = ({ sum, valid }: TaskScore) => (valid === 0 ? Number.POSITIVE_INFINITY : sum / valid);
  const tasks = [...state.tasks.values()].sort((one, other) => mean(one) - mean(other) || one.index - other.index);
  const rows = tasks
    .slice(0, MOST_TASKS)
    .map((task) => [
      String(task.index),
      task.valid === 0 ? '-' : (task.sum / task.valid).toFixed(4),
      `${task.valid} of ${k}`,
      String(task.passed),
    ]);
  const more =
    tasks.length > MOST_TASKS
      ? `<p class="soft">The ${MOST_TASKS} with the lowest reward of ${formatNumber(tasks.length)}.</p>`
      : '';
  return `<h2>Tasks, the lowest reward first</h2>${more}${toHtmlTable(['task', 'mean reward', 'episodes that count', 'passed'], rows)}`;
}
