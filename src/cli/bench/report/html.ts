import { version } from '../../../version.ts';
import { escapeHtml } from '../../shared/report/escape.ts';
import { formatBytes, formatMs, formatNumber, formatShare } from '../../shared/report/format.ts';
import { tile, toPage } from '../../shared/report/page.ts';
import { describeEnd } from '../result/ramp.ts';
import { type BenchResult, type Contender, type Ramp, toComparison, toRamp, toTotal } from '../result/result.ts';
import { type Spread, toSpread } from '../result/statistics.ts';
import { errorTable, operationTable, roundTable } from './html-tables.ts';
import { distributionPlot, percentilePlot, rampPlots, timelinePlot } from './plots.ts';
import { describeLoad, describeWork } from './words.ts';

/** The report as one file: it loads nothing, runs nothing, and shows text of servers as text. */
export function toHtml(result: BenchResult, now: Date): string {
  const { plan, contenders, wasInterrupted } = result;
  const [first] = contenders;
  const ramp = plan.ramp === undefined || first === undefined ? undefined : toRamp(first.rounds, plan);
  const names = contenders.map(({ server }) => server.name).join(' and ');
  const body = `<h1>${escapeHtml(names)}</h1>
<p class="soft">${escapeHtml(`${describeLoad(plan)}. ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC, Tiltyard ${version}, Node ${process.version}.`)}</p>
${wasInterrupted ? '<p class="bad">Interrupted: this is what was measured until then.</p>' : ''}
${toComparisonPart(result)}
${ramp === undefined || first === undefined ? '' : toRampPart(first, ramp)}
${ramp === undefined ? contenders.map((contender) => toTiles(contender, contenders.length)).join('\n') : ''}
${ramp === undefined ? distributionPlot(contenders) + percentilePlot(contenders) + timelinePlot(contenders) : ''}
${contenders.map((contender) => toTables(contender, ramp)).join('\n')}`;
  return toPage(`Bench of ${names}`, body);
}

function toTiles({ server, work, rounds }: Contender, count: number): string {
  const { perSecond, latency, failed, completed, receivedBytes, unsent } = toTotal(rounds);
  const usages = rounds.flatMap(({ usage }) => usage ?? []);
  const tiles = [
    tile(`${work.unit}/s${perSecond.min === perSecond.max ? '' : ' (median)'}`, formatNumber(perSecond.median)),
    tile('half take less', formatMs(latency.percentileMicros(0.5) / 1000)),
    tile('99 % take less', formatMs(latency.percentileMicros(0.99) / 1000)),
    tile('the slowest', formatMs(latency.maxMicros / 1000)),
    failed === 0
      ? tile('errors', 'none')
      : tile(`errors, ${formatShare(failed / (failed + completed))}`, formatNumber(failed), 'bad'),
    ...(unsent === 0 ? [] : [tile('due, and not sent', formatNumber(unsent), 'bad')]),
    ...(usages.length === 0
      ? []
      : [
          tile('server cores', toSpread(usages.map(({ cores }) => cores)).median.toFixed(2)),
          tile('server memory', formatBytes(Math.max(...usages.map(({ memoryBytes }) => memoryBytes)))),
        ]),
    tile('received', formatBytes(receivedBytes)),
  ];
  const title = count > 1 ? `<h2>${escapeHtml(server.name)}</h2>` : '';
  return `${title}<p>${escapeHtml(describeWork(work))}, with the input <code>${escapeHtml(JSON.stringify(work.input))}</code></p>
<div class="tiles">${tiles.join('')}</div>`;
}

function toComparisonPart(result: BenchResult): string {
  const comparison = toComparison(result);
  const [first, second] = result.contenders;
  if (comparison === undefined || first === undefined || second === undefined) return '';
  const times = ({ median }: Spread) => `${median.toFixed(2)} x`;
  const range = ({ min, max }: Spread) => `${min.toFixed(2)} to ${max.toFixed(2)}`;
  const { perSecond, p50, p99 } = comparison;
  const tone = perSecond.min > 1 ? 'good' : perSecond.max < 1 ? 'bad' : '';
  return `<p>${escapeHtml(first.server.name)} relative to ${escapeHtml(second.server.name)} (ratio, median of the rounds, which took turns):</p>
<div class="tiles">${tile(`${first.work.unit}/s (${range(perSecond)})`, times(perSecond), tone)}${tile(`p50 latency (${range(p50)})`, times(p50))}${tile(`p99 latency (${range(p99)})`, times(p99))}</div>`;
}

function toRampPart(contender: Contender, ramp: Ramp): string {
  const { knee, steps, end, kind } = ramp;
  const found = knee === undefined ? undefined : steps[knee];
  const tiles =
    found === undefined
      ? '<p class="bad">No knee: the first step already failed.</p>'
      : `<div class="tiles">${tile(kind === 'rate' ? 'a second asked for, at the knee' : 'connections, at the knee', formatNumber(found.load), 'good')}${tile(`${contender.work.unit}/s there`, formatNumber(found.perSecond))}${tile('99 % take less', formatMs(found.p99Ms))}</div>`;
  const why = end === undefined ? '' : `<p class="soft">The ramp stopped because ${escapeHtml(describeEnd(end))}.</p>`;
  return `<p>${escapeHtml(describeWork(contender.work))}, with the input <code>${escapeHtml(JSON.stringify(contender.work.input))}</code></p>${tiles}${why}${rampPlots(contender, ramp)}`;
}

function toTables(contender: Contender, ramp: Ramp | undefined): string {
  const total = toTotal(contender.rounds);
  const part = (title: string, table: string) => (table === '' ? '' : `<h2>${escapeHtml(title)}</h2>${table}`);
  const { name } = contender.server;
  return [
    part(`${name}: ${ramp === undefined ? 'rounds' : 'steps'}`, roundTable(contender, ramp)),
    part(`${name}: requests of an episode`, operationTable(total)),
    part(`${name}: errors`, errorTable(total)),
  ].join('\n');
}
