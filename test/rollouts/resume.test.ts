import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { environment } from 'tiltyard';
import {
  exportRun,
  type Progress,
  type RolloutOptions,
  RunFolderError,
  RunOptionError,
  readReportData,
  rescore,
  rollouts,
} from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModel } from '../support/model/fake-model.ts';
import { episodesOf, filesOf, planOf, runFolder } from '../support/runs.ts';
import { type QuizTask, questions, serveQuiz, solve } from './quiz.ts';

const ORACLE = { agent: { solve } };

test('Q6: --n and --k may grow, and what was played stays as it is', async () => {
  const target = await serveQuiz(questions(6));
  const out = runFolder();
  await rollouts({ target, out, ...ORACLE, n: 2 });
  const before = await filesOf(out);
  const { summary, ending } = await rollouts({ target, out, ...ORACLE, n: 4, k: 2, resume: true });
  expect(ending.status).toBe('complete');
  expect(summary.episodes).toMatchObject({ planned: 8, valid: 8 });
  const after = await filesOf(out);
  expect(after.get('episodes.jsonl')?.startsWith(before.get('episodes.jsonl') ?? 'x')).toBe(true);
  for (const [name, content] of before) if (name.startsWith('events/')) expect(after.get(name)).toBe(content);
  const counted = (await episodesOf(out)).map(({ index, repeat }) => `${index}/${repeat}`);
  expect(new Set(counted).size).toBe(8);
  // Asking for less does not take away what is there.
  const { summary: same } = await rollouts({ target, out, ...ORACLE, n: 1, resume: true });
  expect(same.episodes).toMatchObject({ planned: 8, valid: 8 });
});

test('Q6: another model, agent, environment, split or seed is refused, and changes nothing', async () => {
  const target = await serveQuiz(questions(2));
  const out = runFolder();
  await rollouts({ target, out, ...ORACLE });
  const before = await filesOf(out);
  const others: Partial<RolloutOptions>[] = [
    { agent: 'random' },
    { model: 'openai-chat/other@http://127.0.0.1:1/v1', agent: 'model' },
    { seed: 1 },
    { maxTurns: 7 },
    { reward: 'last' },
  ];
  for (const other of others)
    await expect(rollouts({ target, out, ...ORACLE, ...other, resume: true })).rejects.toThrow(/is a run with/);
  await expect(rollouts({ target, out, ...ORACLE })).rejects.toThrow(/--resume/);
  await expect(rollouts({ target, out, ...ORACLE, environment: 'else', resume: true })).rejects.toThrow(
    /no environment/,
  );
  expect(await filesOf(out)).toEqual(before);
});

test('Q6: another environment, split or model that is there is refused as well', async () => {
  const splits = { train: [{ id: 0 }], test: [{ id: 0 }] };
  const named = (name: string) =>
    environment({ name, splits, prompt: () => 'Go.', tools: { look: { run: () => 'x' } } });
  const server = await createServer({ environments: [named('one'), named('two')], logger: false });
  onTestFinished(() => server.close());
  const target = await server.listen();
  const refusal = async (first: Partial<RolloutOptions>, then: Partial<RolloutOptions>) => {
    const play = { target, out: runFolder(), agent: async () => {} };
    await rollouts({ ...play, ...first });
    const before = await filesOf(play.out);
    const thrown = await rollouts({ ...play, ...first, ...then, resume: true }).catch((error: Error) => error.message);
    expect(await filesOf(play.out)).toEqual(before);
    return thrown;
  };
  expect(await refusal({}, { environment: 'two' })).toContain('is a run with environment "one", not "two"');
  expect(await refusal({}, { split: 'test' })).toContain('is a run with split "train", not "test"');
  const model = (name: string) => ({ model: `openai-chat/${name}@http://127.0.0.1:1/v1` });
  expect(await refusal(model('a'), model('b'))).toContain('is a run with model "openai-chat/a');
});

test.each<[string, Partial<RolloutOptions>]>([
  ['a model without its key', { agent: 'model', model: 'anthropic/x' }],
  ['a budget without prices', { budgetUsd: 3 }],
  ['a budget of nothing', { budgetTokens: 0 }],
  ['a field that tasks do not have', { cluster: 'nothing' }],
  ['a task that is not there', { from: 99 }],
])('%s is refused before there is a run in the folder', async (_what, wrong) => {
  const target = await serveQuiz(questions(1));
  const out = runFolder();
  const key = process.env.ANTHROPIC_API_KEY;
  delete process.env.ANTHROPIC_API_KEY;
  onTestFinished(() => void (key !== undefined && Object.assign(process.env, { ANTHROPIC_API_KEY: key })));
  await expect(rollouts({ target, out, ...ORACLE, ...wrong })).rejects.toThrow(RunOptionError);
  expect((await rollouts({ target, out, ...ORACLE })).ending.status).toBe('complete');
});

test('Q6: a task that has changed is new work, and the old one no longer counts', async () => {
  const out = runFolder();
  const tasks: QuizTask[] = questions(3);
  await rollouts({
    target: await serveQuiz(tasks),
    out,
    agent: { calls: [{ tool: 'submit', input: { answer: '1' } }] },
  });
  const changed = tasks.map((task, index) => (index === 1 ? { ...task, answer: 'another' } : task));
  const { summary } = await rollouts({
    target: await serveQuiz(changed),
    out,
    agent: { calls: [{ tool: 'submit', input: { answer: '1' } }] },
    resume: true,
  });
  expect(summary).toMatchObject({ tasks: 3, coverage: 1, reward: { mean: 0 } });
  expect(await planOf(out)).toHaveLength(4);
  expect(await episodesOf(out)).toHaveLength(4);
});

test('Q6: a task that changes and changes back is played anew each time, and counts once', async () => {
  const out = runFolder();
  const tasks: QuizTask[] = questions(2);
  const changed = tasks.map((task, index) => (index === 1 ? { ...task, question: 'another?' } : task));
  for (const each of [tasks, changed, tasks])
    await rollouts({ target: await serveQuiz(each), out, ...ORACLE, resume: true });
  const { summary } = await rollouts({ target: await serveQuiz(tasks), out, ...ORACLE, resume: true });
  expect(summary).toMatchObject({ coverage: 1, episodes: { planned: 2, valid: 2, owed: 0 } });
  expect(await episodesOf(out)).toHaveLength(4);
  expect((await rescore(out, { target: await serveQuiz(tasks) })).episodes).toBe(2);
  const file = `${out}.jsonl`;
  expect(await exportRun(out, { format: 'openai', out: file })).toBe(2);
  const { rewards } = await readReportData(out);
  expect(rewards.reduce((sum, { count }) => sum + count, 0)).toBe(2);
});

test('Q6: what failed is played again when a run is resumed', async () => {
  const out = runFolder();
  const target = await serveQuiz(questions(2, { trouble: 'first-time' }));
  const first = await rollouts({ target, out, ...ORACLE, retries: 0 });
  expect(first.summary).toMatchObject({ coverage: 0, episodes: { owed: 2 } });
  const second = await rollouts({ target, out, ...ORACLE, retries: 0, resume: true });
  expect(second.summary).toMatchObject({ coverage: 1, reward: { mean: 1 } });
  expect((await episodesOf(out)).map(({ attempt }) => attempt).sort()).toEqual([1, 1, 2, 2]);
});

test('a resumed run keeps how it is played, unless it is told otherwise', async () => {
  const target = await serveQuiz(questions(6));
  const usage = { input: 500_000, output: 100_000 };
  const fake = await startFakeModel(() => ({ calls: [{ name: 'submit', input: { answer: '0' } }], usage }));
  const model = fake.name('openai-chat');
  const out = runFolder();
  const price = { input: 2, output: 10 };
  const kept = async () => JSON.parse(await readFile(join(out, 'run.json'), 'utf8')).kept;
  const play = { target, out, model };
  const first = { concurrency: 1, retries: 0, budgetUsd: 2, budgetMs: 60_000 };
  await rollouts({ ...play, ...first, prices: { fake: price, other: price } });
  expect(await kept()).toEqual({ ...first, prices: { [model]: price } });
  const spent = { status: 'budget', budget: 'usd', detail: 'the budget of $2 is spent' };
  expect((await rollouts({ ...play, resume: true })).ending).toEqual(spent);
  expect((await rollouts({ ...play, resume: true, budgetUsd: 6, retries: 1 })).summary.usd).toBeCloseTo(6, 9);
  expect(await kept()).toEqual({ ...first, budgetUsd: 6, retries: 1, prices: { [model]: price } });
  expect(fake.requests).toHaveLength(3);
});

test('a run of an earlier version, which kept less, is resumed', async () => {
  const target = await serveQuiz(questions(3));
  const out = runFolder();
  await rollouts({ target, out, ...ORACLE, n: 2, retries: 1 });
  const { kept: _, ...earlier } = JSON.parse(await readFile(join(out, 'run.json'), 'utf8'));
  await writeFile(join(out, 'run.json'), JSON.stringify(earlier));
  const { ending } = await rollouts({ target, out, ...ORACLE, n: 3, concurrency: 2, resume: true });
  expect(ending.status).toBe('complete');
  expect(JSON.parse(await readFile(join(out, 'run.json'), 'utf8')).kept).toEqual({ concurrency: 2 });
});

test('the uncertainty that a run shows while it goes on is the one of its summary', async () => {
  let progress: Progress | undefined;
  const { summary } = await rollouts({
    target: await serveQuiz(questions(5)),
    out: runFolder(),
    agent: { calls: [{ tool: 'submit', input: { answer: '1' } }] },
    onStart: (started) => {
      progress = started;
    },
  });
  expect(progress?.reward?.mean).toBeCloseTo(summary.reward?.mean ?? Number.NaN, 12);
  expect(progress?.reward?.standardError).toBeCloseTo(summary.reward?.standardError ?? Number.NaN, 12);
});

test('Q6: what a crash has left of a line is dropped, in every file', async () => {
  const out = runFolder();
  const target = await serveQuiz(questions(3));
  await rollouts({ target, out, ...ORACLE, n: 2 });
  const before = await readFile(join(out, 'episodes.jsonl'), 'utf8');
  for (const name of ['episodes.jsonl', 'plan.jsonl']) await appendFile(join(out, name), '{"episode":2,"spl');
  const { summary } = await rollouts({ target, out, ...ORACLE, n: 3, resume: true });
  expect(summary).toMatchObject({ coverage: 1, episodes: { planned: 3 } });
  expect((await readFile(join(out, 'episodes.jsonl'), 'utf8')).startsWith(before)).toBe(true);
});

test('Q12: a folder in which a run goes on is refused; the lock of a dead process is taken over', async () => {
  const target = await serveQuiz(questions(2));
  const out = runFolder();
  let second: Promise<unknown> = Promise.resolve();
  await rollouts({
    target,
    out,
    agent: async ({ call }) => {
      second = rollouts({ target, out, ...ORACLE, resume: true });
      await second.catch(() => {});
      await call('submit', { answer: '0' });
    },
  });
  await expect(second).rejects.toThrow(/is in use by process/);
  // No process has this number.
  await writeFile(join(out, 'lock'), JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '1', nonce: 'x' }));
  const again = { target, out, agent: async () => {}, resume: true };
  expect((await rollouts({ ...again, agentName: 'agent' })).ending.status).toBe('complete');
  await writeFile(join(out, 'lock'), JSON.stringify({ host: 'elsewhere', pid: 1, started: '1', nonce: 'x' }));
  await expect(rollouts({ ...again, agentName: 'agent' })).rejects.toThrow(/on elsewhere.*delete/);
});

test('Q12: a lock that cannot be read is not taken over, and the message says what to do', async () => {
  const target = await serveQuiz(questions(1));
  const out = runFolder();
  await rollouts({ target, out, ...ORACLE });
  for (const content of ['', 'nonsense', '{}']) {
    await writeFile(join(out, 'lock'), content);
    await expect(rollouts({ target, out, ...ORACLE, resume: true })).rejects.toThrow(/lock is damaged.*delete/);
  }
});

test('Q16: what a URL has of a password is in no file of the run', async () => {
  const target = (await serveQuiz(questions(1))).replace('http://', 'http://ada:hunter22@');
  const out = runFolder();
  await rollouts({ target, out, ...ORACLE });
  for (const [name, content] of await filesOf(out)) expect(content.includes('hunter22'), name).toBe(false);
});

test('a folder that cannot be made is refused', async () => {
  const target = await serveQuiz(questions(1));
  const out = runFolder();
  await writeFile(out, 'a file');
  await expect(rollouts({ target, out, ...ORACLE })).rejects.toThrow(RunFolderError);
});

test('a folder with something else in it is not touched', async () => {
  const target = await serveQuiz(questions(1));
  const out = runFolder();
  const { mkdir } = await import('node:fs/promises');
  await mkdir(out);
  await writeFile(join(out, 'thesis.txt'), 'ten years of work');
  await expect(rollouts({ target, out, ...ORACLE })).rejects.toThrow(/not empty.*thesis\.txt/);
  expect([...(await filesOf(out)).keys()]).toEqual(['thesis.txt']);
});
