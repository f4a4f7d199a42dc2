// npm run soak: a million calls in 200,000 sessions, and what is left of them in the server. CALLS and SESSIONS change it.
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';
import { proveSoak, type Sample } from './soak/prove.ts';

const sessions = readWholeNumber('SESSIONS', { otherwise: 200_000 });
const calls = readWholeNumber('CALLS', { otherwise: 1_000_000 });
const SAMPLES = 20;
// A byte for each call: less than anything that could be kept of one.
const FLAT_BYTES = 100_000;
const HEAD = ['calls', 'sessions', 'memory in use', 'descriptors', 'active handles', 'calls a second'];

process.stderr.write(`${inColumns(HEAD)}\n`);
const begun = performance.now();
const { samples, before, bytesPer100kCalls, leftovers } = await proveSoak({
  sessions,
  callsPerSession: Math.ceil(calls / sessions),
  samples: SAMPLES,
  onSample: (sample) => process.stderr.write(`${inColumns(row(sample))}\n`),
});

await writeReport({
  name: 'soak',
  title: 'Soak',
  command: `CALLS=${calls} SESSIONS=${sessions} npm run soak`,
  isProven: Math.abs(bytesPer100kCalls ?? 0) < FLAT_BYTES && leftovers.length === 0,
  body: [
    `${samples.at(-1)?.calls} calls in ${samples.at(-1)?.sessions} sessions, over ORS and OXP, in ${((performance.now() - begun) / 1000).toFixed(0)} s. At each sample everything has ended, and what is unused has been freed.`,
    bytesPer100kCalls === undefined
      ? 'Whether memory in use grows, so short a run does not say.'
      : `Memory in use grows by **${(bytesPer100kCalls / 1024).toFixed(1)} KB for each 100,000 calls** (straight line through the samples after the first 300,000 calls; flat: within ${(FLAT_BYTES / 1024).toFixed(0)} KB, a byte for each call).`,
    `Descriptors, timers and other handles left over: ${leftovers.length} (at the start: ${before.descriptors} descriptors, ${JSON.stringify(before.resources)}).`,
    ...leftovers.slice(0, 10),
    table(HEAD, samples.map(row)),
  ],
});

function inColumns(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => String(cell).padStart(HEAD[index]?.length ?? 0)).join('  ');
}

function row({ calls, sessions, liveBytes, descriptors, resources, callsPerSecond }: Sample): (string | number)[] {
  const active = Object.values(resources).reduce((sum, count) => sum + count, 0);
  return [calls, sessions, `${(liveBytes / 2 ** 20).toFixed(2)} MB`, descriptors, active, Math.round(callsPerSecond)];
}
