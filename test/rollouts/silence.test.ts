import { rescore, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { episodesOf, runFolder } from '../support/runs.ts';
import { silentFront } from '../support/silent-front.ts';
import { newCounts, questions, serveQuiz, solve } from './quiz.ts';

// What a server that says nothing may cost after the end of an attempt: the time for opening its session, or for closing it.
const SLACK_MS = 7_000;

/** A quiz behind a front that never answers some paths. */
async function quizBehind(isSilent: (path: string) => boolean) {
  const counts = newCounts();
  const front = await silentFront(await serveQuiz(questions(2), counts), isSilent);
  return { front, counts };
}

test.each(['/create', '/quiz/prompt', '/quiz/task_tools', '/quiz/task'])(
  'a server that never answers %s does not hold up an attempt beyond its time',
  { timeout: 20_000 },
  async (silent) => {
    const { front } = await quizBehind((path) => path === silent);
    const out = runFolder();
    const startedAt = performance.now();
    await rollouts({ target: front.url, out, agent: { solve }, n: 1, retries: 0, timeoutMs: 500 });
    expect(performance.now() - startedAt).toBeLessThan(SLACK_MS);
    expect(await episodesOf(out)).toMatchObject([{ stop: 'setup_failed', fault: 'environment', reward: null }]);
  },
);

test('a server that never answers /create does not hold up a run beyond its time', { timeout: 20_000 }, async () => {
  const { front } = await quizBehind((path) => path === '/create');
  const out = runFolder();
  const startedAt = performance.now();
  const { ending } = await rollouts({ target: front.url, out, agent: { solve }, budgetMs: 1_000 });
  expect(performance.now() - startedAt).toBeLessThan(SLACK_MS);
  expect(ending.status).toBe('budget');
  expect(await episodesOf(out)).toMatchObject([{ stop: 'budget' }, { stop: 'budget' }]);
});

test('a run that is interrupted gives up a server that never answers /create, and tells it so', {
  timeout: 20_000,
}, async () => {
  const { front } = await quizBehind((path) => path === '/create');
  const stopping = new AbortController();
  const { signal } = stopping;
  const out = runFolder();
  const running = rollouts({ target: front.url, out, agent: { solve }, n: 1, signal });
  await front.heard('/create');
  const stoppedAt = performance.now();
  stopping.abort();
  expect((await running).ending.status).toBe('interrupted');
  expect(performance.now() - stoppedAt).toBeLessThan(SLACK_MS);
  expect(await episodesOf(out)).toMatchObject([{ stop: 'interrupted', reward: null }]);
  await front.heard('/delete');
});

test('rescoring ends for a server that never answers /create, by the time of its run or by its signal', {
  timeout: 30_000,
}, async () => {
  const out = runFolder();
  await rollouts({ target: await serveQuiz(questions(2)), out, agent: { solve }, n: 1, timeoutMs: 3_000 });
  const { front } = await quizBehind((path) => path === '/create');
  const startedAt = performance.now();
  expect(await rescore(out, { target: front.url })).toMatchObject({ episodes: 1, differing: 1, meanNow: null });
  expect(performance.now() - startedAt).toBeLessThan(3_000 + SLACK_MS);
  const stopping = new AbortController();
  const rescoring = rescore(out, { target: front.url, signal: stopping.signal });
  stopping.abort(new Error('enough'));
  await expect(rescoring).rejects.toThrow('enough');
});
