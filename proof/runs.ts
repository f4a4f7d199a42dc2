// npm run prove:runs: a run of 100,000 episodes, and how much the memory of its process grows. EPISODES changes it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollouts } from 'tiltyard/rollouts';
import { startModule } from '../bench/child.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';

const episodes = readWholeNumber('EPISODES', { otherwise: 100_000 });
const SAMPLES = 20;
const MOST_GROWTH = 50 * 2 ** 20;
const HEAD = ['episodes', 'resident memory', 'episodes a second'];

interface Sample {
  readonly episodes: number;
  readonly residentBytes: number;
  readonly perSecond: number;
}

const samples: Sample[] = [];
const server = await startModule(new URL('runs/target.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'tiltyard-runs-'));
const begun = performance.now();
try {
  await rollouts({
    target: `http://127.0.0.1:${server.port}`,
    agent: { calls: [{ tool: 'submit', input: {} }] },
    n: episodes,
    out: join(folder, 'run'),
    onStart(progress) {
      const every = Math.ceil(episodes / SAMPLES);
      setInterval(() => {
        const { done } = progress.state;
        // Not from the very first: a process takes its share of memory before it has done anything.
        if (done < Math.max(episodes / 100, samples.length * every)) return;
        samples.push({
          episodes: done,
          residentBytes: process.memoryUsage.rss(),
          perSecond: (done * 1000) / progress.elapsedMs,
        });
        process.stderr.write(`${row(samples.at(-1) as Sample).join('  ')}\n`);
      }, 50).unref();
    },
  });
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

const [first] = samples;
const last = process.memoryUsage.rss();
const growth = last - (first?.residentBytes ?? last);

await writeReport({
  name: 'runs',
  title: 'Memory of a run',
  command: `EPISODES=${episodes} npm run prove:runs`,
  isProven: growth < MOST_GROWTH,
  body: [
    `${episodes} episodes with a keyless policy in ${((performance.now() - begun) / 1000).toFixed(0)} s, written down and summarized. From the first hundredth of the episodes to the end of the run, resident memory grew by **${toMegabytes(growth)}** (at most ${toMegabytes(MOST_GROWTH)}).`,
    table(HEAD, samples.map(row)),
  ],
});

function row({ episodes: done, residentBytes, perSecond }: Sample): (string | number)[] {
  return [done, toMegabytes(residentBytes), Math.round(perSecond)];
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
