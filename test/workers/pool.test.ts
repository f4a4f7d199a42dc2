import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS, type OpenEpisode } from '../../src/sessions/index.ts';
import { type WorkerPool, WorkerRuntime } from '../../src/workers/index.ts';
import { eventually, rejection } from '../support/client.ts';
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

/** A pool of one worker that a tool blocks, for some 2 s or (`loop`) for ever, and what opens episodes in it. */
async function blocked(tool: 'limited' | 'loop'): Promise<WorkerRuntime> {
  const limits = { graceMs: 1_500 };
  const pool = await poolOf(1, { limits });
  const runtime = new WorkerRuntime(pool, { ...DEFAULT_SESSION_OPTIONS, ...limits });
  const episode = await runtime.open(start(1));
  await pidIn(episode);
  run(episode, tool);
  await eventually(() => expect(pool.find()?.isSilent(performance.now())).toBe(true));
  return runtime;
}

test('H4: a tool that blocks after its session was deleted costs the worker, also if the server was away when it looked', async () => {
  const limits = { graceMs: 200 };
  const pool = await poolOf(1, { limits });
  const runtime = new WorkerRuntime(pool, { ...DEFAULT_SESSION_OPTIONS, ...limits });
  const episode = await runtime.open(start(1));
  await pidIn(episode);
  const [pid = 0] = pool.pids;
  const worker = pool.find();
  run(episode, 'loop');
  // As if the server was away again and again, for longer than the episode waits before it looks.
  const away = setInterval(() => worker?.forgive(performance.now()), 50);
  setTimeout(() => clearInterval(away), 3_000);
  await episode.close('deleted');
  await eventually(() => expect(isAlive(pid)).toBe(false));
});

const PAST = { taskDigest: undefined, steps: [], saved: undefined, finished: false };

test.each([
  ['begins', {}],
  ['is built again', { past: PAST }],
])('H4: an episode that %s while code blocks all workers waits for one that answers', async (_what, more) => {
  const runtime = await blocked('limited');
  expect(await pidIn(await runtime.open({ ...start(2), ...more }))).toContain('returned');
});

test('H4: one that begins does not wait for ever, and one that is built again does', async () => {
  const runtime = await blocked('loop');
  const rebuilt = runtime.open({ ...start(2), past: PAST }).then(() => 'rebuilt');
  const begun = rejection(runtime.open(start(3)));
  expect(await Promise.race([begun, rebuilt])).toMatchObject({
    code: 'no_worker',
    message: expect.stringContaining('blocks all worker'),
  });
  await expect(Promise.race([rebuilt, 'waiting'])).resolves.toBe('waiting');
});
