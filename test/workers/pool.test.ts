import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS, type OpenEpisode } from '../../src/sessions/index.ts';
import { type WorkerPool, WorkerRuntime } from '../../src/workers/index.ts';
import { folderWith } from '../support/command.ts';
import { poolOf, run, start } from './pools.ts';
import { isAlive, pidOf, serve } from './serve.ts';

/** Opens episodes, all within one turn; returns how many each process has. */
async function openAll(pool: WorkerPool, count: number): Promise<number[]> {
  const runtime = new WorkerRuntime(pool, DEFAULT_SESSION_OPTIONS);
  const opening = Array.from({ length: count }, (_value, index) => runtime.open(start(index)));
  const pids = await Promise.all(opening.map(async (episode) => pidIn(await episode)));
  return [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length);
}

async function pidIn(episode: OpenEpisode): Promise<string> {
  await new Promise<void>((resolve) => episode.begin(() => resolve()));
  return new Promise((resolve) => run(episode, 'pid', { ended: (ending) => resolve(JSON.stringify(ending)) }));
}

test('H3: episodes that are opened within one turn are spread over the workers', async () => {
  const pool = await poolOf(2);
  expect(await openAll(pool, 6)).toEqual([3, 3]);
});

test('H3: so are those that wait until workers are replaced', async () => {
  const pool = await poolOf(2);
  // Again, if the first was replaced before the end of the second was noticed.
  while (pool.size > 0) {
    for (const pid of pool.pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
    await new Promise(setImmediate);
  }
  const startedAt = performance.now();
  const counts = await openAll(pool, 6);
  // On a machine where processes take longer than that to start, those who have waited take what is there.
  if (performance.now() - startedAt < 5_000) expect(counts).toEqual([3, 3]);
  else expect(counts.reduce((sum, count) => sum + count)).toBe(6);
});

test('H3: a worker that takes long to start is waited for', async () => {
  const folder = await folderWith({
    'slow.ts': `
      import { existsSync } from 'node:fs';
      import { environment } from 'tiltyard';
      if (existsSync(import.meta.dirname + '/slow')) await new Promise((resolve) => setTimeout(resolve, 7_000));
      export default environment({
        name: 'slow', splits: { train: [{}] }, prompt: () => '', tools: { pid: { run: () => String(process.pid) } },
      });
    `,
  });
  const served = await serve({ workers: { modules: [`${folder}/slow.ts`], count: 1 } });
  const pid = await pidOf(await served.session());
  writeFileSync(`${folder}/slow`, '');
  process.kill(pid, 'SIGKILL');
  await served.untilLogged(/has ended/);
  const response = await fetch(`${served.server.url}/slow/task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ split: 'train', index: 0 }),
  });
  expect(response.status).toBe(200);
});
