import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RolloutOptions, type RunFile, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { episodesOf, eventsOf, filesOf, planOf, runFolder } from '../support/runs.ts';
import { newCounts, questions, serveQuiz, solve } from './quiz.ts';

test('Q5: a random policy plays without a key, and the run has all its files', async () => {
  const target = await serveQuiz(questions(6));
  const out = runFolder();
  const { summary, ending } = await rollouts({ target, agent: 'random', n: 4, k: 2, out });
  expect(ending.status).toBe('complete');
  expect(summary).toMatchObject({ environment: 'quiz', split: 'test', tasks: 4, coverage: 1 });
  expect(summary.episodes).toMatchObject({ planned: 8, valid: 8, owed: 0 });
  const files = [...(await filesOf(out)).keys()];
  for (const name of ['run.json', 'plan.jsonl', 'episodes.jsonl', 'summary.json', 'events/7.1.jsonl'])
    expect(files).toContain(name);
  expect(files).not.toContain('lock');
  expect(await planOf(out)).toHaveLength(8);
});

test('Q5: run.json says what was played: options, versions, commit, and a hash of the tasks', async () => {
  const runOf = async (count: number, n: number) => {
    const out = runFolder();
    const target = await serveQuiz(questions(count));
    await rollouts({ target, agent: 'random', n, maxTurns: 7, tags: { wave: 'one' }, out });
    return JSON.parse(await readFile(join(out, 'run.json'), 'utf8')) as RunFile;
  };
  const [run, same, other] = [await runOf(3, 2), await runOf(5, 2), await runOf(3, 3)];
  expect(run).toMatchObject({
    v: 1,
    identity: { environment: 'quiz', split: 'test', agent: 'random', model: null, seed: 0, limits: { maxTurns: 7 } },
    selection: { from: 0, n: 2, k: 1 },
    tags: { wave: 'one' },
    versions: { node: process.versions.node, tiltyard: expect.any(String) },
    tasks: { count: 2, hash: same.tasks?.hash },
  });
  expect(other.tasks?.hash).not.toBe(run.tasks?.hash);
  const commit = await promisify(execFile)('git', ['rev-parse', 'HEAD']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  expect(run.git?.commit).toBe(commit);
});

test('Q5: an oracle shows the greatest reward that can be had', async () => {
  const target = await serveQuiz(questions(5));
  const { summary } = await rollouts({ target, agent: { solve }, out: runFolder() });
  expect(summary.reward).toMatchObject({ mean: 1, interval: { method: 'wilson' } });
});

test('Q5: a recorded game is an agent as well', async () => {
  const target = await serveQuiz(questions(3));
  const calls = [
    { tool: 'part', input: {} },
    { tool: 'submit', input: { answer: '1' } },
  ];
  const out = runFolder();
  await rollouts({ target, agent: { calls }, out });
  expect((await episodesOf(out)).sort((one, other) => one.index - other.index).map(({ reward }) => reward)).toEqual([
    0.25, 1.25, 0.25,
  ]);
});

test('an agent never sees the task unless it is an oracle', async () => {
  const target = await serveQuiz(questions(1));
  const seen: unknown[] = [];
  await rollouts({
    target,
    out: runFolder(),
    agent: async (episode) => void seen.push(episode.task, Object.keys(episode)),
  });
  expect(seen[0]).toBeUndefined();
});

test('Q11: the same seed gives the same events, but for times', async () => {
  const target = await serveQuiz(questions(3));
  const play = async (seed: number) => {
    const out = runFolder();
    await rollouts({ target, agent: 'random', maxTurns: 5, seed, out, concurrency: 2 });
    const events = await Promise.all([0, 1, 2].map((episode) => eventsOf(out, episode)));
    return events.map((each) => each.map(({ at: _at, ...event }) => ('ms' in event ? { ...event, ms: 0 } : event)));
  };
  const [first, second, other] = [await play(1), await play(1), await play(2)];
  expect(first).toEqual(second);
  expect(JSON.stringify(first)).not.toBe(JSON.stringify(other));
});

test('Q9: there are never more sessions than --concurrency, and all are deleted', async () => {
  const counts = newCounts();
  const target = await serveQuiz(questions(20, { slow: true }), counts);
  const agent: RolloutOptions['agent'] = async ({ call }) => {
    await call('wait', { ms: 20 });
    await call('submit', { answer: '0' });
  };
  await rollouts({ target, agent, concurrency: 3, out: runFolder() });
  expect(counts.mostOpen).toBe(3);
  expect(counts.open).toBe(0);
});

test('Q9: a run that is interrupted deletes its sessions, and owes what was being played', async () => {
  const counts = newCounts();
  const target = await serveQuiz(questions(8, { slow: true }), counts);
  const out = runFolder();
  const stop = new AbortController();
  let played = 0;
  const { ending, summary } = await rollouts({
    target,
    out,
    concurrency: 4,
    signal: stop.signal,
    agent: async ({ call }) => {
      played += 1;
      if (played > 2 && played === 6) stop.abort();
      await call('wait', { ms: played > 2 ? 60_000 : 0 });
      await call('submit', { answer: '0' });
    },
  });
  expect(ending.status).toBe('interrupted');
  expect(counts.open).toBe(0);
  expect(summary.stops.interrupted).toBe(4);
  expect(summary.episodes).toMatchObject({ valid: 2, owed: 6 });
});

test('limits of turns and time end an episode as the fault of the agent', async () => {
  const target = await serveQuiz(questions(1));
  const stopOf = async (options: Partial<RolloutOptions>) => {
    const out = runFolder();
    await rollouts({ target, out, ...options });
    const [line] = await episodesOf(out);
    return line;
  };
  const endless: RolloutOptions['agent'] = async ({ call }) => {
    for (;;) await call('part');
  };
  expect(await stopOf({ agent: endless, maxTurns: 3 })).toMatchObject({
    stop: 'max_turns',
    reward: 0.75,
    outcome: 'cancelled',
    fault: 'agent',
  });
  expect(await stopOf({ agent: endless, maxTurns: 3, reward: 'last' })).toMatchObject({ reward: 0.25 });
  // Also of an agent that does not hear the signal.
  expect(await stopOf({ agent: () => new Promise(() => {}), timeoutMs: 2_000 })).toMatchObject({
    stop: 'max_time',
    reward: 0,
  });
  expect(await stopOf({ agent: async () => {}, unfinished: 'exclude' })).toMatchObject({
    stop: 'gave_up',
    reward: null,
  });
});

test.each([40 * 24 * 3_600_000, Number.POSITIVE_INFINITY])(
  'a time of %d ms, longer than a timer takes, ends no episode and no run',
  async (ms) => {
    const target = await serveQuiz(questions(3));
    const options = { target, out: runFolder(), agent: { solve }, retries: 0 };
    const { summary, ending } = await rollouts({ ...options, timeoutMs: ms, budgetMs: ms });
    expect(ending).toEqual({ status: 'complete', detail: null });
    expect(summary.reward).toMatchObject({ mean: 1 });
  },
);

test('what an agent says after its episode has ended is in no record', async () => {
  const target = await serveQuiz(questions(2));
  const out = runFolder();
  let late: (() => void) | undefined;
  await rollouts({
    target,
    out,
    concurrency: 1,
    agent: async ({ call, note }) => {
      late?.();
      late = () => note('too late');
      await call('submit', { answer: '0' });
    },
  });
  expect(JSON.stringify([...(await filesOf(out)).values()])).not.toContain('too late');
});
