import { linearAxis, logAxis, namedAxis, type Tick } from '../../shared/report/axis.ts';
import { type Chart, type Point, toFigure } from '../../shared/report/chart.ts';
import { formatMs, formatNumber } from '../../shared/report/format.ts';
import type { Histogram } from '../load/histogram.ts';
import { type Contender, type Ramp, toTotal } from '../result/result.ts';
import { toBins } from './bins.ts';

const BINS = 48;

/** How many of the latencies were of which size. */
export function distributionPlot(contenders: readonly Contender[]): string {
  const all = contenders.map((contender) => ({ contender, bins: toBins(toTotal(contender.rounds).latency, BINS) }));
  const sums = all.map(({ bins }) => bins.reduce((sum, { count }) => sum + count, 0));
  const series = all.map(({ contender, bins }, index) => ({
    name: contender.server.name,
    shape: 'area' as const,
    // Steps: a bin has one height from end to end.
    points: bins.flatMap(({ fromMicros, toMicros, count }): Point[] => {
      const y = (count / (sums[index] || 1)) * 100;
      return [
        { x: fromMicros / 1000, y },
        { x: toMicros / 1000, y },
      ];
    }),
  }));
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return '';
  return toFigure({
    title: 'Latency: how many took how long',
    xName: 'latency',
    yName: 'per cent',
    x: logAxis(rangeOf(points.map(({ x }) => x)), formatTick),
    y: linearAxis(Math.max(...points.map(({ y }) => y)), formatNumber),
    series,
  });
}

// On this axis, each step has ten times fewer latencies above it: the tail is as wide as the rest.
const PERCENTILES: readonly Tick[] = [
  { value: 1, label: '0 %' },
  { value: 2, label: '50 %' },
  { value: 10, label: '90 %' },
  { value: 100, label: '99 %' },
  { value: 1_000, label: '99.9 %' },
  { value: 10_000, label: '99.99 %' },
];

/** Which latency what share stays below, with the tail drawn out. */
export function percentilePlot(contenders: readonly Contender[]): string {
  const series = contenders.map(({ server, rounds }) => ({
    name: server.name,
    shape: 'line' as const,
    points: toPercentilePoints(toTotal(rounds).latency),
  }));
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return '';
  const most = Math.max(...points.map(({ x }) => x));
  return toFigure({
    title: 'Latency: what share stays below it',
    xName: 'share of all, the tail drawn out',
    yName: 'latency',
    x: namedAxis(PERCENTILES.filter(({ value }) => value <= Math.max(100, most * 1.01))),
    y: logAxis(rangeOf(points.map(({ y }) => y)), formatTick),
    series,
  });
}

function toPercentilePoints(latency: Histogram): Point[] {
  const most = Math.min(10_000, latency.count);
  if (most === 0) return [];
  const points = 120;
  return Array.from({ length: points + 1 }, (_, index) => {
    const x = most ** (index / points);
    return { x, y: latency.percentileMicros(1 - 1 / x) / 1000 };
  });
}

/** How throughput went from interval to interval. */
export function timelinePlot(contenders: readonly Contender[]): string {
  const series = contenders.map(({ server, rounds }) => ({
    name: server.name,
    shape: 'line' as const,
    points: toTimelinePoints(rounds),
  }));
  const points = series.flatMap((each) => each.points);
  const [unit = 'calls'] = contenders.map(({ work }) => work.unit);
  if (points.length < 2) return '';
  return toFigure({
    title: `${unit === 'calls' ? 'Calls' : 'Episodes'} a second, over time`,
    xName: 'seconds of measuring',
    yName: `${unit}/s`,
    x: linearAxis(Math.max(...points.map(({ x }) => x)), formatNumber),
    y: linearAxis(Math.max(...points.map(({ y }) => y)), formatNumber),
    series,
  });
}

function toTimelinePoints(rounds: Contender['rounds']): Point[] {
  const points: Point[] = [];
  let begin = 0;
  for (const { timeline, seconds } of rounds) {
    const interval = timeline.intervalMs / 1000;
    for (const [index, count] of timeline.counts.entries())
      points.push({ x: begin + (index + 0.5) * interval, y: count / interval });
    begin += seconds;
  }
  return points;
}

/** What each step of a ramp gave. */
export function rampPlots({ server, work }: Contender, { kind, steps, knee }: Ramp): string {
  if (steps.length < 2) return '';
  const [loads, rates, tails] = [
    steps.map(({ load }) => load),
    steps.map(({ perSecond }) => perSecond),
    steps.map(({ p99Ms }) => p99Ms),
  ];
  const x = namedAxis(loads.map((load) => ({ value: load, label: formatNumber(load) })));
  const xName = kind === 'rate' ? `${work.unit} a second that were asked for` : 'connections';
  const chart = (pick: (step: Ramp['steps'][number]) => number, label: (y: number) => string) => ({
    xName,
    x,
    series: [
      {
        name: server.name,
        shape: 'dots' as const,
        points: steps.map((step) => ({
          x: step.load,
          y: pick(step),
          label: `${formatNumber(step.load)}: ${label(pick(step))}`,
        })),
      },
    ],
  });
  const found = knee === undefined ? undefined : steps[knee];
  const throughput: Chart = {
    ...chart(
      ({ perSecond }) => perSecond,
      (y) => `${formatNumber(y)} ${work.unit}/s`,
    ),
    title: 'Throughput at each step',
    yName: `${work.unit}/s`,
    y: linearAxis(Math.max(...rates), formatNumber),
    ...(found === undefined
      ? {}
      : { mark: { x: found.load, y: found.perSecond, label: `the knee: ${formatNumber(found.perSecond)}/s` } }),
  };
  const tail: Chart = {
    ...chart(({ p99Ms }) => p99Ms, formatMs),
    title: '99th percentile at each step',
    yName: 'latency',
    y: logAxis(rangeOf(tails), formatTick),
    ...(found === undefined
      ? {}
      : { mark: { x: found.load, y: found.p99Ms, label: `the knee: ${formatMs(found.p99Ms)}` } }),
  };
  return toFigure(throughput) + toFigure(tail);
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  const positive = values.filter((value) => value > 0);
  return positive.length === 0 ? [1, 10] : [Math.min(...positive), Math.max(...positive)];
}

function formatTick(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${Number(ms.toPrecision(3))} ms`;
}
