import { formatBytes, formatMicros, formatMs, formatNumber, formatShare } from '../../shared/report/format.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import { toTable } from '../../shared/table.ts';
import type { Colors } from '../../shared/terminal.ts';
import { describeEnd } from '../result/ramp.ts';
import { type BenchResult, type Contender, type Total, toComparison, toRamp, toTotal } from '../result/result.ts';
import { type Spread, toSpread } from '../result/statistics.ts';
import { type Charset, toBar, toSparkline } from './bars.ts';
import { toBins } from './bins.ts';
import { describeLoad, describeWork } from './words.ts';

/** How a result is written. */
export interface TextOptions {
  readonly colors: Colors;
  readonly charset: Charset;
  readonly columns: number;
}

const INDENT = '  ';
const HISTOGRAM_ROWS = 10;
const MAX_BAR = 50;

/** A result for a person, with charts. */
export function toLines(result: BenchResult, options: TextOptions): string[] {
  const { plan, contenders, wasInterrupted } = result;
  return [
    ...(wasInterrupted ? [options.colors.yellow('Interrupted: this is what was measured until then.'), ''] : []),
    ...contenders.flatMap((contender) => [
      options.colors.bold(toSafeText(contender.server.name)),
      `${toSafeText(describeWork(contender.work))}; ${describeLoad(plan)}`,
      '',
      ...(plan.ramp === undefined ? toSteadyLines(contender, options) : toRampLines(result, contender, options)),
      '',
    ]),
    ...toComparisonLines(result, options),
  ];
}

function toSteadyLines(contender: Contender, options: TextOptions): string[] {
  const { work, rounds } = contender;
  const total = toTotal(rounds);
  const rows = [
    [
      'throughput',
      `${options.colors.bold(formatNumber(total.perSecond.median))} ${work.unit}/s${toRange(total.perSecond)}`,
    ],
    ['latency', total.completed === 0 ? `none of the ${work.unit} succeeded` : toPercentiles(total)],
    ['errors', toErrorLine(total, options.colors)],
    ...total.errors.map(({ kind, count, example }) => ['', `${formatNumber(count)} x ${kind}: ${toOneLine(example)}`]),
    ...(total.unsent === 0
      ? []
      : [['behind', `${formatNumber(total.unsent)} were due and not sent: all connections waited for answers`]]),
    ['bytes', `${formatBytes(total.receivedBytes)} received, ${formatBytes(total.sentBytes)} sent`],
    // What a server used for refusing says nothing about the work.
    ...(total.completed === 0 ? [] : toServerRows(contender)),
  ];
  return [
    ...toTable(rows).map((line) => INDENT + line),
    ...(total.completed === 0
      ? []
      : [...toOperationLines(total), '', ...toHistogramLines(total, options), ...toTimelineLines(contender, options)]),
  ];
}

function toRange({ min, max }: Spread): string {
  return min === max ? '' : `   (${formatNumber(min)} to ${formatNumber(max)})`;
}

function toPercentiles({ latency }: Total): string {
  const shares = [
    ['p50', 0.5],
    ['p90', 0.9],
    ['p99', 0.99],
  ] as const;
  const parts = shares.map(([name, share]) => `${name} ${formatMicros(latency.percentileMicros(share))}`);
  return [...parts, `max ${formatMicros(latency.maxMicros)}`].join('   ');
}

function toErrorLine({ failed, completed }: Total, colors: Colors): string {
  if (failed === 0) return 'none';
  return colors.red(`${formatNumber(failed)} (${formatShare(failed / (failed + completed))})`);
}

function toServerRows({ rounds, work }: Contender): string[][] {
  const usages = rounds.flatMap(({ usage }) => usage ?? []);
  const median = (values: readonly number[]) => toSpread(values).median;
  const rows: string[][] = [];
  if (usages.length > 0) {
    const cores = median(usages.map((usage) => usage.cores)).toFixed(2);
    const micros = formatNumber(median(usages.map(({ cpuMicrosPerUnit }) => cpuMicrosPerUnit)));
    const memory = formatBytes(Math.max(...usages.map(({ memoryBytes }) => memoryBytes)));
    rows.push([
      'server',
      `${cores} cores busy, ${micros} us of CPU time for each of the ${work.unit}, ${memory} of memory`,
    ]);
  }
  const lags = rounds.flatMap(({ lag }) => lag ?? []);
  const parts = (['mean', 'p50', 'p99', 'max'] as const).flatMap((name) => {
    const values = lags.flatMap((lag) => lag[`${name}Ms`] ?? []);
    return values.length === 0 ? [] : [`${name} ${formatMs(median(values))}`];
  });
  if (parts.length > 0) rows.push(['event loop', `late by ${parts.join('   ')}`]);
  return rows;
}

function toOperationLines({ operations }: Total): string[] {
  if (operations.size === 0) return [];
  const rows = [...operations].map(([name, histogram]) => [
    name,
    ...[0.5, 0.9, 0.99].map((share) => formatMicros(histogram.percentileMicros(share))),
    formatMicros(histogram.maxMicros),
  ]);
  return ['', ...toTable([['request', 'p50', 'p90', 'p99', 'max'], ...rows]).map((line) => INDENT + line)];
}

function toHistogramLines({ latency }: Total, { charset, columns }: TextOptions): string[] {
  const bins = toBins(latency, HISTOGRAM_ROWS);
  const most = Math.max(...bins.map(({ count }) => count));
  const labels = bins.map(({ toMicros }) => `<= ${formatMicros(toMicros)}`);
  const width = Math.max(0, ...labels.map(({ length }) => length));
  const room = Math.max(10, Math.min(MAX_BAR, columns - width - 16));
  return bins.map(({ count }, index) =>
    `${INDENT}${labels[index]?.padStart(width)}  ${toBar(count / most, room, charset)} ${formatNumber(count)}`.trimEnd(),
  );
}

function toTimelineLines({ rounds, work }: Contender, { charset, columns }: TextOptions): string[] {
  const rates = rounds.flatMap(({ timeline: { counts, intervalMs } }) =>
    counts.map((count) => (count * 1000) / intervalMs),
  );
  if (rates.length < 2) return [];
  const line = toSparkline(rates, Math.max(10, Math.min(60, columns - 40)), charset);
  const range = `${formatNumber(Math.min(...rates))} to ${formatNumber(Math.max(...rates))}`;
  return ['', `${INDENT}${work.unit}/s over time  ${line}  ${range}`];
}

function toRampLines({ plan }: BenchResult, { rounds, work }: Contender, options: TextOptions): string[] {
  const { kind, steps, knee, end } = toRamp(rounds, plan);
  const most = Math.max(...steps.map(({ perSecond }) => perSecond));
  const rows = steps.map(({ load, perSecond, p99Ms, errorShare }, index) => [
    formatNumber(load),
    formatNumber(perSecond),
    formatMicros(rounds[index]?.latency.percentileMicros(0.5) ?? 0),
    formatMs(p99Ms),
    errorShare === 0 ? 'none' : formatShare(errorShare),
    `${toBar(perSecond / most, 24, options.charset)}${index === knee ? options.colors.green('  knee') : ''}`,
  ]);
  const head = [kind === 'rate' ? 'asked/s' : kind, `${work.unit}/s`, 'p50', 'p99', 'errors', ''];
  const found = knee === undefined ? undefined : steps[knee];
  const errors = toTotal(rounds).errors.map(
    ({ kind: what, count, example }) => `${INDENT}${formatNumber(count)} x ${what}: ${toOneLine(example)}`,
  );
  return [
    ...toTable([head, ...rows]).map((line) => INDENT + line),
    ...errors,
    '',
    ...(found === undefined
      ? [`${INDENT}No knee: the first step already failed.`]
      : [
          `${INDENT}The knee is at ${formatNumber(found.load)} ${kind === 'rate' ? 'a second' : 'connections'}: ` +
            `${formatNumber(found.perSecond)} ${work.unit}/s, p99 ${formatMs(found.p99Ms)}.`,
        ]),
    ...(end === undefined ? [] : [`${INDENT}The ramp stopped because ${describeEnd(end)}.`]),
  ];
}

function toComparisonLines(result: BenchResult, { colors }: TextOptions): string[] {
  const comparison = toComparison(result);
  const [first, second] = result.contenders;
  if (comparison === undefined || first === undefined || second === undefined) return [];
  const times = ({ median, min, max }: Spread) => `${median.toFixed(3)}   (${min.toFixed(3)} to ${max.toFixed(3)})`;
  const rows = [
    [`${first.work.unit}/s`, colors.bold(times(comparison.perSecond))],
    ['p50 latency', times(comparison.p50)],
    ['p99 latency', times(comparison.p99)],
  ];
  return [
    `${toSafeText(first.server.name)} relative to ${toSafeText(second.server.name)} (ratio, median of the rounds):`,
    ...toTable(rows).map((line) => INDENT + line),
    '',
  ];
}

const MAX_EXAMPLE = 160;

function toOneLine(text: string): string {
  return toSafeText(text).replace(/\s+/g, ' ').slice(0, MAX_EXAMPLE);
}
