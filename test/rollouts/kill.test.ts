import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAIN, ROOT } from '../support/command.ts';
import { episodesOf, eventsOf, filesOf, planOf, runFolder } from '../support/runs.ts';
import { questions, serveQuiz } from './quiz.ts';

const KILLS = 50;
// So many, and each so slow, that a fast machine is not done before the last kill.
const TASKS = 400;
const REPEATS = 2;

const AGENT = `export const agent = async ({ call, random }) => {
  await call('wait', { ms: Math.floor(random() * 200) });
  await call('part');
  await call('submit', { answer: '0' });
};
`;

test('Q6: after kill -9 at random moments, each episode has exactly one counted attempt, and what was kept is byte-identical', {
  timeout: 900_000,
}, async () => {
  const target = await serveQuiz(questions(TASKS, { slow: true }));
  const out = runFolder();
  const agent = join(dirname(out), 'agent.mjs');
  await writeFile(agent, AGENT);
  const args = [
    MAIN,
    'run',
    target,
    '--agent',
    agent,
    '--n',
    `${TASKS}`,
    '--k',
    `${REPEATS}`,
    '--out',
    out,
    '--resume',
    '--concurrency',
    '4',
  ];
  const start = () => spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });

  let kept = new Map<string, string>();
  let killed = 0;
  let interrupted = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const child = start();
    const ended = once(child, 'close');
    // Half of them at any moment of its life, half of them while episodes are played.
    const before = sizeOf(out);
    if (round % 2 === 0) await wait(Math.random() * 1_200);
    else {
      while (child.exitCode === null && sizeOf(out) === before) await wait(10);
      await wait(Math.random() * 150);
    }
    if (child.exitCode === null) killed += 1;
    child.kill('SIGKILL');
    await ended;
    if (!existsSync(out)) continue;
    const now = await filesOf(out);
    for (const [name, content] of kept) if (isKept(name)) expect(startsWith(now.get(name), content), name).toBe(true);
    const attempts = [...now.keys()].filter((name) => name.startsWith('events/')).length;
    if (attempts > linesIn(now.get('episodes.jsonl'))) interrupted += 1;
    kept = now;
  }
  // Otherwise nothing was tested.
  expect(killed).toBeGreaterThanOrEqual(KILLS * 0.9);
  expect(interrupted).toBeGreaterThan(0);

  const last = start();
  expect((await once(last, 'close'))[0]).toBe(0);
  const now = await filesOf(out);
  for (const [name, content] of kept) if (isKept(name)) expect(startsWith(now.get(name), content), name).toBe(true);

  const counted = (await episodesOf(out)).filter(({ reward }) => reward !== null);
  expect(counted).toHaveLength(TASKS * REPEATS);
  expect(new Set(counted.map(({ index, repeat }) => `${index}/${repeat}`)).size).toBe(TASKS * REPEATS);
  const plan = await planOf(out);
  expect(new Set(plan.map(({ index, repeat }) => `${index}/${repeat}`)).size).toBe(plan.length);
  for (const { episode, attempt, rewards } of counted) {
    expect(rewards).toHaveLength(2);
    expect((await eventsOf(out, episode, attempt)).at(-1)).toMatchObject({ type: 'end', stop: 'finished' });
  }
});

// A run's own description and its summary are written anew; all else only grows.
function isKept(name: string): boolean {
  return /^(?:events\/|blobs\/[0-9a-f]{64}$|episodes\.jsonl|plan\.jsonl)/.test(name);
}

/** Whether a file still has every whole line that it had. */
function startsWith(now: string | undefined, before: string): boolean {
  return now?.startsWith(before.slice(0, before.lastIndexOf('\n') + 1)) ?? false;
}

function linesIn(text = ''): number {
  return text.split('\n').length - 1;
}

function sizeOf(folder: string): number {
  return statSync(join(folder, 'episodes.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
}
