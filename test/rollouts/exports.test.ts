import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import {
  type ExportFormat,
  exportRun,
  type RescoredEpisode,
  type RolloutOptions,
  type RunFile,
  rescore,
  rollouts,
} from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { startFakeModel } from '../support/model/fake-model.ts';
import { type FakeWire, WIRES } from '../support/model/script.ts';
import { filesOf, runFolder } from '../support/runs.ts';
import { type QuizTask, questions, serveQuiz, solve } from './quiz.ts';

/** A run over a wire in which one episode of two is solved, with a picture on the way. */
async function modelRun(wire: FakeWire): Promise<string> {
  const target = await serveQuiz(questions(2));
  const model = await startFakeModel(({ turn }) =>
    turn === 0
      ? { text: 'I look.', calls: [{ name: 'look' }, { name: 'refuse' }] }
      : { calls: [{ name: 'submit', input: { answer: '1' } }] },
  );
  const out = runFolder();
  await rollouts({ target, out, model: model.name(wire) });
  return out;
}

async function exported(folder: string, format: ExportFormat, options: { minReward?: number } = {}): Promise<string> {
  const out = join(dirname(folder), `exported-${format}`);
  await exportRun(folder, { format, out, ...options });
  return out;
}

async function linesOf(file: string): Promise<any[]> {
  return (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test.each(WIRES)('Q15: chats of a run over %s are lines for OpenAI and for Hugging Face', async (wire) => {
  const folder = await modelRun(wire);
  const [line] = await linesOf(await exported(folder, 'openai', { minReward: 1 }));
  expect(Object.keys(line)).toEqual(['messages', 'tools']);
  expect(line.messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    // Where OpenAI takes pictures.
    'user',
    'assistant',
    'tool',
  ]);
  expect(line.messages[1]).toMatchObject({
    content: 'I look.',
    tool_calls: [{ type: 'function' }, { function: { name: 'refuse', arguments: '{}' } }],
  });
  expect(line.messages[3]).toMatchObject({
    content: expect.stringContaining('not now'),
    tool_call_id: line.messages[1].tool_calls[1].id,
  });
  expect(line.messages[2].content).toBe('a dot:');
  expect(JSON.stringify(line.messages[4].content)).toContain('data:image/png;base64,');
  const all = await linesOf(await exported(folder, 'huggingface'));
  expect(all.map(({ index, reward }) => [index, reward]).sort()).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(all[0].messages[4].tool_calls[0].function).toEqual({ name: 'submit', arguments: { answer: '1' } });
});

test('Q15: only episodes from --min-reward on are exported, and never one that does not count', async () => {
  const target = await serveQuiz([...questions(2), ...questions(1, { question: 'broken', trouble: 'throw' })]);
  const folder = runFolder();
  await rollouts({ target, out: folder, agent: { calls: [{ tool: 'submit', input: { answer: '1' } }] }, retries: 0 });
  const [first, ...others] = await linesOf(await exported(folder, 'huggingface', { minReward: 0.5 }));
  expect([first.index, others]).toEqual([1, []]);
});

test('Q15: ATIF has a file for each episode, images as files, and no model calls without a model', async () => {
  const target = await serveQuiz(questions(1));
  const folder = runFolder();
  const calls = [
    { tool: 'look', input: {} },
    { tool: 'submit', input: { answer: '0' } },
  ];
  await rollouts({ target, out: folder, agent: { calls } });
  const out = await exported(folder, 'atif');
  const trajectory = JSON.parse(await readFile(join(out, 'test-0-0.json'), 'utf8'));
  expect(trajectory).toMatchObject({ schema_version: 'ATIF-v1.8', extra: { reward: 1, stop: 'finished' } });
  expect(trajectory.steps.map(({ step_id, source }: any) => [step_id, source])).toEqual([
    [1, 'user'],
    [2, 'agent'],
    [3, 'agent'],
  ]);
  expect(trajectory.steps[1]).toMatchObject({
    llm_call_count: 0,
    observation: { results: [{ extra: { reward: null } }] },
  });
  const [, image] = trajectory.steps[1].observation.results[0].content;
  expect(existsSync(join(out, image.source.path))).toBe(true);
  expect(await readdir(join(out, 'images'))).toHaveLength(1);
});

test('Q15: a Parquet file has a row for each episode', async () => {
  const folder = await modelRun('anthropic');
  const bytes = await readFile(await exported(folder, 'parquet'));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  expect(rows.map(({ index, reward }) => [index, reward]).sort()).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(JSON.parse(rows[0]?.messages as string)[0]).toMatchObject({ role: 'user' });
});

test('Q15: an Inspect log is one JSON document with a sample for each episode', async () => {
  const log = JSON.parse(await readFile(await exported(await modelRun('google'), 'inspect'), 'utf8'));
  expect(log).toMatchObject({ version: 2, status: 'success', eval: { task: 'quiz' } });
  expect(log.samples).toHaveLength(2);
});

test('an export does not overwrite anything', async () => {
  const folder = await modelRun('openai-chat');
  const out = await exported(folder, 'openai');
  await expect(exportRun(folder, { format: 'openai', out })).rejects.toThrow(/exists/);
});

test('Q16: rescore makes the recorded calls again, lists what differs, and changes nothing', async () => {
  const folder = runFolder();
  await rollouts({ target: await serveQuiz(questions(3)), out: folder, agent: { solve } });
  const before = await filesOf(folder);
  const same = await rescore(folder, { target: await serveQuiz(questions(3)) });
  expect(same).toEqual({ episodes: 3, valid: 3, differing: 0, coverage: 1, meanBefore: 1, meanNow: 1 });
  // The task is another behind the same place: its server pays another reward.
  const changed = questions(3).map((task, index) => (index === 2 ? { ...task, answer: 'x' } : task));
  const found: unknown[] = [];
  const different = await rescore(folder, {
    target: await serveQuiz(changed),
    onEpisode: (each) => void found.push(...each.differences),
  });
  expect(different).toMatchObject({ episodes: 3, differing: 1, meanBefore: 1, meanNow: 2 / 3 });
  expect(found).toEqual([
    'call 1 (submit): reward 0, recorded 1',
    'call 1 (submit): text "Wrong.", recorded "Right."',
    'reward 0, recorded 1',
  ]);
  expect(await filesOf(folder)).toEqual(before);
});

test('Q16: rescore lists an episode whose task is not there any more, and fails where the server is not', async () => {
  const folder = runFolder();
  await rollouts({ target: await serveQuiz(questions(2)), out: folder, agent: { solve } });
  const found: RescoredEpisode[] = [];
  const target = await serveQuiz(questions(1));
  const result = await rescore(folder, { target, onEpisode: (each) => void found.push(each) });
  expect(result).toEqual({ episodes: 2, valid: 1, differing: 1, coverage: 0.5, meanBefore: 1, meanNow: 1 });
  expect(found.find(({ index }) => index === 1)).toMatchObject({
    now: null,
    differences: [expect.stringContaining('no session could begin')],
  });
  const retry = { attempts: 1, pauseMs: 1, maxPauseMs: 1 };
  await expect(rescore(folder, { target: 'http://127.0.0.1:9', connect: { retry } })).rejects.toThrow();
  const other = { ...(JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as RunFile) };
  const identity = { ...other.identity, environment: 'else' };
  await writeFile(join(folder, 'run.json'), JSON.stringify({ ...other, identity }));
  await expect(rescore(folder, { target })).rejects.toThrow(/404/);
});

test('Q7: a failure of the environment changes the coverage of a rescore, and neither of its means, which are over tasks', async () => {
  const folder = runFolder();
  const agent: RolloutOptions['agent'] = async ({ call }) => void (await call('submit', { answer: '0' }));
  await rollouts({ target: await serveQuiz(questions(2)), out: folder, agent, k: 2 });
  const [first, second] = questions(2);
  const rescored = async (...tasks: QuizTask[]) => rescore(folder, { target: await serveQuiz(tasks), concurrency: 1 });
  if (first === undefined || second === undefined) throw new Error('there are two questions');
  expect(await rescored(first, { ...second, trouble: 'throw' })).toEqual({
    ...{ episodes: 4, valid: 2, differing: 2, coverage: 0.5 },
    ...{ meanBefore: 1, meanNow: 1 },
  });
  // One of three episodes that count was paid for, and one of two tasks.
  expect(await rescored({ ...first, trouble: 'first-time' }, second)).toEqual({
    ...{ episodes: 4, valid: 3, differing: 1, coverage: 0.75 },
    ...{ meanBefore: 0.5, meanNow: 0.5 },
  });
});
