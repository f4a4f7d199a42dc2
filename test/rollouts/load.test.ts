import { type Progress, type RolloutOptions, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../src/rollouts/schedule/concurrency.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
import type { Script } from '../support/model/script.ts';
import { episodesOf, runFolder } from '../support/runs.ts';
import { newCounts, questions, serveQuiz } from './quiz.ts';

const SUBMIT = { calls: [{ name: 'submit', input: { answer: '0' } }] };

async function play(count: number, script: Script, options: Partial<RolloutOptions> = {}) {
  const counts = newCounts();
  const target = await serveQuiz(questions(count), counts);
  const model = await startFakeModel(script);
  const out = runFolder();
  const result = await rollouts({ target, out, model: model.name('openai-chat'), retries: 0, ...options });
  return { ...result, out, counts, requests: model.requests };
}

test('Q8: after a 429 with Retry-After 2 nobody sends a request for 2 s, and no episode is lost', async () => {
  let limitedAt = Number.POSITIVE_INFINITY;
  const { requests, summary } = await play(
    8,
    ({ number }) => {
      if (number !== 4) return SUBMIT;
      limitedAt = performance.now();
      return { fault: 'status', status: 429, retryAfter: '2' };
    },
    { concurrency: 2 },
  );
  // Another request may be under way when the answer is sent; it is there within moments.
  const later = requests.map(({ at }) => at - limitedAt).filter((ms) => ms > 250);
  expect(Math.min(...later)).toBeGreaterThan(1_900);
  expect(summary).toMatchObject({ coverage: 1, stops: { finished: 8 } });
});

test('Q8: auto shrinks by a fifth once for a burst, and grows back; trouble of the provider only pauses growth', () => {
  const concurrency = new AdaptiveConcurrency({ start: 20, most: 40 });
  const sentAt = performance.now();
  for (let request = 0; request < 20; request += 1) concurrency.limited(sentAt);
  expect(concurrency.limit).toBe(16);
  for (let answer = 0; answer < 16; answer += 1) concurrency.answered();
  expect(concurrency.limit).toBe(17);
  concurrency.limited(performance.now());
  expect(concurrency.limit).toBe(13);
  concurrency.troubled();
  for (let answer = 0; answer < 100; answer += 1) concurrency.answered();
  expect(concurrency.limit).toBe(13);
});

test('Q8: a run with auto opens fewer episodes after a burst of 429, and more again later', async () => {
  const limits: number[] = [];
  let progress: Progress | undefined;
  let firstAt: number | undefined;
  const script: Script = ({ at }) => {
    if (progress !== undefined && limits.at(-1) !== progress.limit) limits.push(progress.limit);
    firstAt ??= at;
    // Whoever is late finds the door closed, and comes after the pause.
    return at - firstAt < 1_000 ? { fault: 'status', status: 429, retryAfter: '2' } : SUBMIT;
  };
  const onStart = (started: Progress) => {
    progress = started;
  };
  const { summary } = await play(90, script, { concurrency: 'auto', onStart });
  // It may have grown by one when the next episode begins.
  const [before, after = 0, ...later] = limits;
  expect(before).toBe(16);
  expect([12, 13]).toContain(after);
  expect(Math.max(...later)).toBeGreaterThan(after);
  expect(Math.min(...later)).toBeGreaterThan(after);
  expect(summary).toMatchObject({ coverage: 1, stops: { finished: 90 } });
});

test('Q8: a wrong key stops the run within one request per worker', async () => {
  const { requests, ending, out } = await play(50, () => ({ fault: 'status', status: 401 }), {
    concurrency: 4,
    retries: 2,
  });
  expect(ending).toMatchObject({ status: 'refused', detail: expect.stringContaining('401') });
  expect(requests.length).toBeLessThanOrEqual(4);
  const stops = (await episodesOf(out)).map(({ stop }) => stop);
  expect(stops).toContain('model_refused');
  expect(stops.every((stop) => stop === 'model_refused' || stop === 'interrupted')).toBe(true);
});

test.each<[string, Script]>([
  ['asks for a pause', () => ({ fault: 'status', status: 429, retryAfter: '600' })],
  ['has trouble', () => ({ fault: 'status', status: 500, retryAfter: '600' })],
])(
  'Q7: when the time of an episode is over while the provider %s, that is the fault of the model',
  async (_why, script) => {
    // The second one only waits: it was the first that was refused.
    const { out, summary } = await play(2, script, { concurrency: 2, timeoutMs: 3_000 });
    const lines = await episodesOf(out);
    expect(lines.map(({ stop, fault, reward }) => [stop, fault, reward])).toEqual([
      ['model_error', 'model', null],
      ['model_error', 'model', null],
    ]);
    expect(summary).toMatchObject({ coverage: 0, reward: null });
  },
);

test('Q7: a model that is slow, and nothing else, is the fault of the agent', async () => {
  const slow: Script = () => ({ fault: 'slow', ms: 60_000, answer: SUBMIT });
  const { out } = await play(1, slow, { timeoutMs: 2_000 });
  expect(await episodesOf(out)).toMatchObject([{ stop: 'max_time', fault: 'agent', reward: 0 }]);
});

test.each([403, 404])('Q8: %s stops the run as a wrong key does', async (status) => {
  const { ending, out } = await play(5, () => ({ fault: 'status', status }), { concurrency: 1, retries: 2 });
  expect(ending.status).toBe('refused');
  expect(await episodesOf(out)).toMatchObject([
    { stop: 'model_refused', outcome: 'cancelled', fault: 'model', reward: null },
  ]);
});

test('Q9: a budget of tokens is overshot by the calls in flight at most, and the rest is owed', async () => {
  const usage = { input: 90, output: 10 };
  const { summary, ending, requests } = await play(40, () => ({ ...SUBMIT, usage }), {
    concurrency: 4,
    budgetTokens: 1_000,
  });
  expect(ending.status).toBe('budget');
  expect(requests.length).toBeGreaterThanOrEqual(10);
  expect(requests.length).toBeLessThan(10 + 4);
  expect(summary.episodes.valid).toBe(requests.length);
  expect(summary.episodes.owed).toBe(40 - requests.length);
});

test('Q9: a budget in dollars counts by the prices given, and needs them', async () => {
  const usage = { input: 1_000_000, output: 100_000 };
  const priced = { concurrency: 1, budgetUsd: 10, prices: { fake: { input: 2, output: 10 } } };
  const { summary, requests } = await play(10, () => ({ ...SUBMIT, usage }), priced);
  expect(requests).toHaveLength(4);
  expect(summary.usd).toBeCloseTo(12, 9);
  await expect(play(1, () => SUBMIT, { budgetUsd: 1 })).rejects.toThrow(/needs the price/);
});

test('Q9: when the time of a run is over, what is being played is owed', async () => {
  const slow: Script = ({ number }) => (number < 2 ? SUBMIT : { fault: 'slow', ms: 60_000, answer: SUBMIT });
  const { summary, ending, counts } = await play(6, slow, { concurrency: 2, budgetMs: 3_000 });
  expect(ending.status).toBe('budget');
  expect(summary.episodes).toMatchObject({ valid: 2, owed: 4 });
  expect(summary.stops.budget).toBe(2);
  expect(counts.open).toBe(0);
});
