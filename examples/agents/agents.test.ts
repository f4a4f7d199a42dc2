import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollouts } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { gsm8k, solve } from '../gsm8k/environment.ts';
import type { WordProblem } from '../gsm8k/task.ts';
import { agent } from './agent.ts';

let target = '';
let close = async () => {};

beforeAll(async () => {
  const server = await createServer({ environments: [gsm8k], logger: false });
  target = await server.listen();
  close = () => server.close();
});

afterAll(() => close());

async function outside(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'run');
}

test('the oracle solves every problem of both splits', async () => {
  const oracle = { solve: (task: object) => solve(task as WordProblem) };
  for (const split of ['train', 'test']) {
    const { summary } = await rollouts({ target, split, agent: oracle, out: await outside() });
    expect(summary).toMatchObject({ coverage: 1, reward: { mean: 1 } });
  }
});

test('the agent plays every problem to its end', async () => {
  const { summary } = await rollouts({ target, split: 'test', agent, out: await outside() });
  expect(summary).toMatchObject({ coverage: 1, stops: { finished: summary.tasks } });
});
