import { environment, step } from 'tiltyard';
import { type RolloutOptions, rollouts } from 'tiltyard/rollouts';
import { createServer, type Observer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { episodesOf, eventsOf, runFolder } from '../support/runs.ts';
import { type QuizTask, questions, quiz, serveQuiz, solve } from './quiz.ts';

async function play(tasks: readonly QuizTask[], options: Partial<RolloutOptions> = {}) {
  const target = await serveQuiz(tasks);
  const out = runFolder();
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

test('Q7: a session that expires while its agent thinks is tried again in a new one', async () => {
  let expired = () => {};
  const expiry = new Promise<void>((resolve) => {
    expired = resolve;
  });
  const observer: Observer = { on: ({ type }) => void (type === 'session_ended' && expired()) };
  const environments = [quiz(questions(1))];
  const server = await createServer({ environments, sessions: { observer }, limits: { idleMs: 2_000 }, logger: false });
  onTestFinished(() => server.close());
  const out = runFolder();
  const agent: RolloutOptions['agent'] = async ({ call }) => {
    await expiry;
    await call('submit', { answer: '0' });
  };
  // A session that nobody pings is one that nobody uses.
  await rollouts({ target: await server.listen(), out, agent, connect: { pingMs: 600_000 } });
  const [first, second] = await episodesOf(out);
  expect(first).toMatchObject({ stop: 'expired', outcome: 'expired', fault: 'environment', reward: null, attempt: 1 });
  expect(second).toMatchObject({ stop: 'finished', outcome: 'finished', fault: 'none', reward: 1, attempt: 2 });
});

test('Q7: a setup that takes longer than the time of an episode is not the fault of the agent', async () => {
  let setups = 0;
  const slow = environment({
    name: 'slow',
    splits: { test: [{ id: 0 }] },
    setup: async ({ signal }) => {
      setups += 1;
      if (setups === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    prompt: () => 'Go.',
    tools: { submit: { run: () => step('Right.', { reward: 1, finished: true }) } },
  });
  const server = await createServer({ environments: [slow], limits: { graceMs: 100 }, logger: false });
  onTestFinished(() => server.close());
  const out = runFolder();
  const agent = { calls: [{ tool: 'submit', input: {} }] };
  const { summary } = await rollouts({ target: await server.listen(), out, agent, timeoutMs: 3_000, retries: 1 });
  expect(await episodesOf(out)).toMatchObject([
    { attempt: 1, stop: 'setup_failed', outcome: 'env_error', fault: 'environment', reward: null },
    { attempt: 2, stop: 'finished', reward: 1 },
  ]);
  expect(summary).toMatchObject({ coverage: 1, reward: { mean: 1 } });
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
  const server = await createServer({ environments: [quiz(questions(1))], logger: false });
  const target = await server.listen();
  const out = runFolder();
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
