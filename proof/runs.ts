// npm run prove:runs: a run of 100,000 episodes, and how much the memory of its process grows. EPISODES changes it.
import { table, writeReport } from './report.ts';
import { proveRuns, type Sample } from './runs/prove.ts';
import { readWholeNumber } from './settings.ts';

const episodes = readWholeNumber('EPISODES', { otherwise: 100_000 });
const SAMPLES = 20;
const MOST_GROWTH = 50 * 2 ** 20;
const HEAD = ['episodes', 'resident memory', 'episodes a second'];

const begun = performance.now();
const { samples, summary, grownBytes } = await proveRuns({
  episodes,
  samples: SAMPLES,
  onSample: (sample) => process.stderr.write(`${row(sample).join('  ')}\n`),
});

await writeReport({
  name: 'runs',
  title: 'Memory of a run',
  command: `EPISODES=${episodes} npm run prove:runs`,
  isProven: grownBytes < MOST_GROWTH && summary.episodes.valid === episodes,
  body: [
    `${summary.episodes.valid} episodes with a keyless policy in ${((performance.now() - begun) / 1000).toFixed(0)} s, written down and summarized. From the first hundredth of the episodes to the end of the run, resident memory grew by **${toMegabytes(grownBytes)}** (at most ${toMegabytes(MOST_GROWTH)}).`,
    table(HEAD, samples.map(row)),
  ],
});

function row({ episodes: done, residentBytes, perSecond }: Sample): (string | number)[] {
  return [done, toMegabytes(residentBytes), Math.round(perSecond)];
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
