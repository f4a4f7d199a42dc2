import { type RolloutOptions, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { episodesOf, eventsOf, runFolder } from '../support/runs.ts';
import { type QuizTask, questions, serveQuiz, solve } from './quiz.ts';

async function play(tasks: readonly QuizTask[], options: Partial<RolloutOptions> = {}) {
  const target = await serveQuiz(tasks);
  const out = await runFolder();
  const result = await rollouts({ target, out, agent: { solve }, retries: 0, ...options });
  return { ...result, out, lines: await episodesOf(out) };
}

test('Q7: a failure of the environment changes coverage, and never the mean', async () => {
  const fine = questions(4);
  const broken = [...fine, ...questions(3, { trouble: 'throw' })].map((task, at) => ({ ...task, question: `${at}` }));
  const [before, after] = [await play(fine), await play(broken)];
  expect(after.summary.reward?.mean).toBe(before.summary.reward?.mean);
  expect(after.summary).toMatchObject({ coverage: 4 / 7, stops: { finished: 4, env_error: 3 } });
  expect(after.summary.bounds).toEqual({ least: 1, greatest: 1 });
  expect(after.ending.status).toBe('incomplete');
  // The evidence stays.
  const failed = after.lines.find(({ stop }) => stop === 'env_error');
  expect(failed).toMatchObject({ reward: null, outcome: 'env_error', fault: 'environment', attempt: 1 });
  expect((await eventsOf(after.out, failed?.episode ?? -1)).at(-1)).toMatchObject({ type: 'end', stop: 'env_error' });
});

test.each([
  ['setup', 'setup_failed', 'env_error'],
  ['throw', 'env_error', 'env_error'],
] as const)('Q7: %s ends as %s, and is tried again', async (trouble, stop, outcome) => {
  const { lines } = await play(questions(1, { trouble }), { retries: 1 });
  expect(lines.map((line) => [line.attempt, line.stop, line.outcome, line.reward])).toEqual([
    [1, stop, outcome, null],
    [2, stop, outcome, null],
  ]);
});

test('Q7: a tool that times out is the fault of the environment, and an agent cannot hide it', async () => {
  const agent: RolloutOptions['agent'] = async ({ call }) => {
    await call('hang').catch(() => {});
    await call('submit', { answer: '0' }).catch(() => {});
  };
  const { lines } = await play(questions(1, { slow: true }), { agent });
  expect(lines).toMatchObject([{ stop: 'tool_timeout', outcome: 'timeout', fault: 'environment', reward: null }]);
});

test('what fails once is played again in a new session, and counts once', async () => {
  const { lines, summary, ending } = await play(questions(3, { trouble: 'first-time' }), { retries: 2 });
  expect(ending.status).toBe('complete');
  expect(summary).toMatchObject({ coverage: 1, stops: { setup_failed: 3, finished: 3 }, reward: { mean: 1 } });
  expect(lines.filter(({ reward }) => reward !== null)).toHaveLength(3);
});

test('an agent that throws is not tried again, and counts for nothing', async () => {
  const agent: RolloutOptions['agent'] = async () => {
    throw new Error('a bug of mine');
  };
  const { lines, summary } = await play(questions(2), { agent, retries: 2 });
  expect(lines).toMatchObject([
    {
      stop: 'agent_threw',
      outcome: 'cancelled',
      fault: 'harness',
      reward: null,
      detail: expect.stringContaining('a bug of mine'),
    },
    { stop: 'agent_threw' },
  ]);
  expect(summary).toMatchObject({ coverage: 0, reward: null, episodes: { owed: 2 } });
});

test('an environment that finishes without a reward has paid 0, and the summary says so', async () => {
  const { summary } = await play(questions(2, { trouble: 'unpaid' }));
  expect(summary).toMatchObject({ reward: { mean: 0 }, episodes: { unpaid: 2, valid: 2 } });
});

test('a server that is gone is the fault of the environment', async () => {
  const { createServer } = await import('tiltyard/server');
  const { quiz } = await import('./quiz.ts');
  const server = await createServer({ environments: [quiz(questions(1))], logger: false });
  const target = await server.listen();
  const out = await runFolder();
  const agent: RolloutOptions['agent'] = async ({ call }) => {
    await server.close();
    await call('submit', { answer: '0' });
  };
  const retry = { attempts: 1, pauseMs: 1, maxPauseMs: 1 };
  await rollouts({ target, out, agent, retries: 0, connect: { retry } });
  expect(await episodesOf(out)).toMatchObject([
    { stop: 'lost', outcome: 'cancelled', fault: 'environment', reward: null },
  ]);
});
