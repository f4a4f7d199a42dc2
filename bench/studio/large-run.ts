import { cpSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rollouts } from 'tiltyard/rollouts';
import { type EpisodeLine, RUN_FILES, type RunFile, recordPath } from '../../src/rollouts/index.ts';

// A file system links a file only so often.
const LINKS = 10_000;

/** Writes a run of many episodes, as if all had gone as one real one did; every tenth has failed. */
export async function writeLargeRun(folder: string, episodes: number, target: string): Promise<string> {
  const small = join(folder, 'small');
  const agent = { calls: Array.from({ length: 6 }, () => ({ tool: 'add', input: { amount: 1, note: 'a note' } })) };
  await rollouts({ target, out: small, agent, split: 'train', n: 1, retries: 0 });
  const large = join(folder, 'large');
  mkdirSync(join(large, 'events'), { recursive: true });
  const run = JSON.parse(readFileSync(join(small, RUN_FILES.run), 'utf8')) as RunFile;
  cpSync(join(small, 'blobs'), join(large, 'blobs'), { recursive: true });
  writeFileSync(join(large, RUN_FILES.run), JSON.stringify({ ...run, selection: { ...run.selection, n: null } }));
  const line = JSON.parse(readFileSync(join(small, RUN_FILES.episodes), 'utf8').trim()) as EpisodeLine;
  const ending = { outcome: 'finished', stop: 'finished', fault: 'none' };
  const record = readFileSync(recordPath(small, 0, line.attempt), 'utf8');
  const lines = (make: (index: number) => object) =>
    `${Array.from({ length: episodes }, (_, index) => JSON.stringify(make(index))).join('\n')}\n`;
  const taskHash = 'same';
  writeFileSync(
    join(large, RUN_FILES.plan),
    lines((index) => ({ episode: index, split: 'train', index, repeat: 0, taskHash })),
  );
  writeFileSync(
    join(large, RUN_FILES.episodes),
    lines((index) => ({
      ...line,
      ...ending,
      episode: index,
      index,
      attempt: 1,
      taskHash,
      reward: index % 10 === 0 ? 0 : 1,
    })),
  );
  let written = '';
  for (let episode = 0; episode < episodes; episode += 1) {
    const path = recordPath(large, episode, 1);
    if (episode % LINKS === 0) {
      // One record in so many says something else than the others.
      writeFileSync(path, record.replace('a note', 'a rare bird'));
    } else if (episode % LINKS === 1) {
      written = path;
      writeFileSync(path, record);
    } else linkSync(written, path);
  }
  return large;
}
