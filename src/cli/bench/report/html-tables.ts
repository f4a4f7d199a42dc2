import { escapeHtml } from '../../shared/report/escape.ts';
import { formatBytes, formatMicros, formatMs, formatNumber } from '../../shared/report/format.ts';
import { toHtmlTable } from '../../shared/report/page.ts';
import type { Contender, Ramp, Total } from '../result/result.ts';
import type { Round } from '../result/round.ts';

/** A row for each round, with what is known of the server. */
export function roundTable({ rounds, work }: Contender, ramp: Ramp | undefined): string {
  const head = [
    '',
    'connections',
    `${work.unit}/s`,
    'p50',
    'p90',
    'p99',
    'max',
    'errors',
    'cores',
    'memory',
    'lag p99',
  ];
  const rows = rounds.map((round, index) => toCells(round, index));
  return rows.length === 0 ? '' : toHtmlTable(head, rows, ramp?.knee);
}

function toCells(round: Round, index: number): string[] {
  const { connections, rate, perSecond, latency, failed, usage, lag } = round;
  const at = (share: number) => formatMicros(latency.percentileMicros(share));
  return [
    rate === undefined ? `${index + 1}` : `${formatNumber(rate)} a second`,
    formatNumber(connections),
    formatNumber(perSecond),
    at(0.5),
    at(0.9),
    at(0.99),
    formatMicros(latency.maxMicros),
    formatNumber(failed),
    usage === undefined ? '' : usage.cores.toFixed(2),
    usage === undefined ? '' : formatBytes(usage.memoryBytes),
    lag?.p99Ms === undefined ? '' : formatMs(lag.p99Ms),
  ];
}

/** A row for each kind of request of an episode. */
export function operationTable({ operations }: Total): string {
  if (operations.size === 0) return '';
  const rows = [...operations].map(([name, histogram]) => [
    name,
    formatNumber(histogram.count),
    ...[0.5, 0.9, 0.99].map((share) => formatMicros(histogram.percentileMicros(share))),
    formatMicros(histogram.maxMicros),
  ]);
  return toHtmlTable(['request', 'count', 'p50', 'p90', 'p99', 'max'], rows);
}

/** A row for each kind of failure, with what the first one said. */
export function errorTable({ errors }: Total): string {
  if (errors.length === 0) return '';
  const rows = errors.map(
    ({ kind, count, example }) =>
      `<tr><td>${escapeHtml(kind)}</td><td>${formatNumber(count)}</td><td class="words">${escapeHtml(example)}</td></tr>`,
  );
  return `<div class="scroll"><table><tr><th>kind</th><th>count</th><th>the first one said</th></tr>${rows.join('')}</table></div>`;
}
