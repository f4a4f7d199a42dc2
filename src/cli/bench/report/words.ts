import { formatMs, formatNumber } from '../../shared/report/format.ts';
import type { Plan } from '../plan.ts';
import type { Work } from '../work/work.ts';

/** What was done, in words; names of the server are in it. */
export function describeWork({ protocol, environment, split, tool, unit }: Work): string {
  const where = environment === undefined ? '' : ` in ${environment} (${split})`;
  return unit === 'calls' ? `${protocol}: calls of ${tool}${where}` : `${protocol}: episodes${where} with ${tool}`;
}

/** How much was done at a time, in words. */
export function describeLoad({ connections, rate, rounds, ramp, durationMs }: Plan): string {
  const time = formatMs(durationMs);
  if (ramp !== undefined) return `a ramp of ${rate === undefined ? 'connections' : 'rates'}, ${time} each`;
  const kind = rate === undefined ? '' : `${formatNumber(rate)} a second over `;
  return `${kind}${connections} connection${connections === 1 ? '' : 's'}, ${rounds === 1 ? time : `${rounds} rounds of ${time}`}`;
}
