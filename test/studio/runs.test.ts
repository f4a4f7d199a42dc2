import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordWriter } from 'tiltyard/records';
import { rollouts } from 'tiltyard/rollouts';
import { describe, expect, test } from 'vitest';
import type { TaskQuery } from '../../src/studio/api.ts';
import { type QuizTask, questions, serveQuiz, solve } from '../rollouts/quiz.ts';
import { temporaryFolder } from '../support/folder.ts';
import { episodesOf } from '../support/runs.ts';
import { openStudio, type TestStudio } from './studio-client.ts';

const root = () => temporaryFolder('tiltyard-runs-');

interface RunChoice {
  readonly out: string;
  readonly answer?: string;
  readonly k?: number;
}

async function run(tasks: readonly QuizTask[], { out, answer, k = 1 }: RunChoice): Promise<void> {
  const agent = answer === undefined ? { solve } : { calls: [{ tool: 'submit', input: { answer } }] };
  await rollouts({ target: await serveQuiz(tasks), out, agent, retries: 0, k });
}

async function idsOf(studio: TestStudio): Promise<Record<string, string>> {
  return Object.fromEntries((await studio.ask('GET /api/runs')).map(({ name, id }) => [name, id]));
}

describe('U5: runs', () => {
  test('the table has each run with its mean, interval and change against the one before', async () => {
    const folder = root();
    const tasks = questions(6);
    await run(tasks, { out: join(folder, 'weak'), answer: '3' });
    await run(tasks, { out: join(folder, 'strong') });
    await mkdir(join(folder, 'not-a-run'));
    await mkdir(join(folder, 'broken'));
    await writeFile(join(folder, 'broken', 'run.json'), '{');
    const studio = await openStudio({ runs: [folder] });
    const runs = await studio.ask('GET /api/runs');
    expect(runs.map(({ name }) => name)).toEqual(['strong', 'weak', 'broken']);
    const [strong, weak, broken] = runs;
    expect(strong).toMatchObject({
      identity: { environment: 'quiz', split: 'test' },
      summary: { coverage: 1, reward: { mean: 1 } },
      change: { against: weak?.id, difference: expect.closeTo(5 / 6, 12), interval: { method: 't' } },
      isLive: false,
    });
    expect(weak).toMatchObject({ summary: { reward: { mean: expect.closeTo(1 / 6, 12) } }, change: null });
    expect(broken).toMatchObject({ problem: { code: 'unreadable' } });
    expect(await studio.ask('GET /api/studio')).toMatchObject({ opened: 'runs', runs: 3 });
    expect((await studio.request('GET', `/api/runs/${broken?.id}`)).status).toBe(409);
    expect((await studio.request('GET', '/api/runs/nobody')).status).toBe(404);
  });

  test('tasks by repeats are filtered, sorted and paged', async () => {
    const folder = root();
    const tasks = [
      ...questions(4),
      ...questions(2, { trouble: 'throw' }).map((task, at) => ({ ...task, question: `x${at}` })),
    ];
    await run(tasks, { out: join(folder, 'run'), answer: '2', k: 2 });
    const studio = await openStudio({ runs: [join(folder, 'run')] });
    const { run: id = '' } = await idsOf(studio);
    const table = (query: TaskQuery = {}) => studio.ask('GET /api/runs/:run/tasks', { run: id }, { query });
    const indices = async (query: TaskQuery) => (await table(query)).rows.map(({ index }) => index);
    const all = await table();
    expect([all.total, all.matched, all.rows.length]).toEqual([6, 6, 6]);
    expect(all.rows[2]).toMatchObject({ index: 2, mean: 1, valid: 2, passed: 2, spread: 0 });
    expect(all.rows[2]?.cells).toMatchObject([
      { episode: 2, attempt: 1, reward: 1, stop: 'finished' },
      { episode: 8, reward: 1 },
    ]);
    expect(all.rows[4]).toMatchObject({ mean: null, valid: 0, cells: [{ reward: null, fault: 'environment' }, {}] });
    expect(await indices({ filter: 'failed' })).toEqual([0, 1, 3]);
    expect(await indices({ filter: 'passed' })).toEqual([2]);
    expect(await indices({ filter: 'missing' })).toEqual([4, 5]);
    expect(await indices({ filter: 'different' })).toEqual([]);
    expect(await indices({ stop_reason: 'env_error' })).toEqual([4, 5]);
    expect(await indices({ text: 'BROKEN' })).toEqual([4, 5]);
    expect(await indices({ sort: 'mean', order: 'desc' })).toEqual([2, 0, 1, 3, 4, 5]);
    expect(await indices({ start: 1, stop: 3 })).toEqual([1, 2]);
    expect(await studio.ask('GET /api/runs/:run', { run: id })).toMatchObject({ pass: 1, rewards: expect.any(Array) });
    for (const query of ['sort=size', 'filter=bad', 'stop_reason=x', 'start=-1'])
      expect((await studio.request('GET', `/api/runs/${id}/tasks?${query}`)).status, query).toBe(400);
  });

  test('an episode has its line, its events by pages, its attempts and its neighbours', async () => {
    const folder = root();
    await run(questions(3), { out: join(folder, 'run') });
    // They end in any order.
    const line = (await episodesOf(join(folder, 'run'))).find(({ episode }) => episode === 0);
    const studio = await openStudio({ runs: [folder] });
    const { run: id = '' } = await idsOf(studio);
    const params = { run: id, episode: 1 };
    const detail = await studio.ask('GET /api/runs/:run/episodes/:episode', params);
    expect(detail).toMatchObject({
      episode: 1,
      attempt: 1,
      attempts: [1],
      previous: 0,
      next: 2,
      line: { episode: 1, reward: 1 },
      head: { type: 'episode', environment: 'quiz', index: 1 },
      events: { start: 0, next: null },
    });
    expect(detail.events.events.at(-1)).toMatchObject({ type: 'end', outcome: 'finished' });
    const rest = await studio.ask('GET /api/runs/:run/episodes/:episode/events', params, { query: { start: 2 } });
    expect(rest.events).toEqual(detail.events.events.slice(2));
    expect((await studio.ask('GET /api/runs/:run/episodes/:episode', { run: id, episode: 0 })).line).toEqual(line);
    for (const path of ['episodes/99', 'episodes/1?attempt=7'])
      expect((await studio.request('GET', `/api/runs/${id}/${path}`)).status, path).toBe(404);
    for (const path of ['episodes/..%2f1', 'episodes/x', 'episodes/-1'])
      expect((await studio.request('GET', `/api/runs/${id}/${path}`)).status, path).toBe(400);
  });

  test('two runs are compared task by task, and only what differs is listed', async () => {
    const folder = root();
    const tasks = questions(4);
    await run(tasks, { out: join(folder, 'one'), answer: '1' });
    await run(tasks, { out: join(folder, 'two') });
    await run(
      questions(2).map((task) => ({ ...task, question: `other ${task.question}` })),
      { out: join(folder, 'other') },
    );
    const studio = await openStudio({ runs: [folder] });
    const { one = '', two = '', other = '' } = await idsOf(studio);
    const params = { run: one, other: two };
    expect(await studio.ask('GET /api/runs/:run/compare/:other', params)).toMatchObject({
      first: { id: one },
      second: { id: two },
      difference: 0.75,
      wins: 3,
      losses: 0,
      ties: 1,
      points: [{ index: 0, first: 0, second: 1 }, {}, {}, {}],
    });
    const table = await studio.ask('GET /api/runs/:run/compare/:other/tasks', params, { query: { start: 1 } });
    expect(table).toMatchObject({
      total: 3,
      start: 1,
      rows: [{ index: 2 }, { index: 3, secondCells: [{ reward: 1 }] }],
    });
    const refused = await studio.request('GET', `/api/runs/${one}/compare/${other}`);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining('task 0 is not the same'),
    ]);
  });

  test('a run that goes on is told while it does', async () => {
    const folder = root();
    await run(questions(3), { out: join(folder, 'run') });
    const path = join(folder, 'run', 'episodes.jsonl');
    const lines = await episodesOf(join(folder, 'run'));
    await writeFile(path, '');
    const studio = await openStudio({ runs: [folder] });
    const { run: id = '' } = await idsOf(studio);
    const stream = await studio.stream(`run/${id}`, 'runs');
    const sees = (valid: number) =>
      stream.next((event) => event.type === 'run' && event.run.summary?.episodes.valid === valid);
    await sees(0);
    const [first = '', second = '', third = ''] = lines.map((line) => `${JSON.stringify(line)}\n`);
    await appendFile(path, first + second.slice(0, 40));
    // Half a line is none.
    await sees(1);
    await appendFile(path, second.slice(40) + third);
    await sees(3);
    await appendFile(path, 'not JSON\n');
    await stream.next((event) => event.type === 'runs' && event.runs[0]?.problem !== null);
    const damaged = await studio.request('GET', `/api/runs/${id}`);
    expect([damaged.status, damaged.body.error.message]).toEqual([409, expect.stringContaining('is damaged')]);
  });

  test('records outside of runs are listed and read by pages', async () => {
    const folder = root();
    for (const index of [0, 1, 2]) {
      const writer = RecordWriter.open(join(folder, `game-${index}.jsonl`));
      writer.append({ type: 'episode', by: 'play', environment: 'math', split: 'train', index });
      writer.append({ type: 'prompt', blocks: [{ type: 'text', text: `<script>${index}</script>`, detail: null }] });
      writer.append({ type: 'end', outcome: 'cancelled' });
      writer.close();
    }
    await writeFile(join(folder, 'junk.jsonl'), 'no record\n');
    const studio = await openStudio({ records: [folder] });
    const { total, records } = await studio.ask('GET /api/records', {}, { query: { start: 1, stop: 4 } });
    expect([total, records.map(({ name }) => name)]).toEqual([4, ['game-1.jsonl', 'game-2.jsonl', 'junk.jsonl']]);
    // Nothing is made up of one that cannot be read.
    const problem = expect.objectContaining({ code: 'unreadable' });
    expect(records[2]).toEqual({ id: expect.any(String), name: 'junk.jsonl', path: expect.any(String), problem });
    const [first] = records;
    expect(await studio.ask('GET /api/records/:record', { record: first?.id ?? '' })).toMatchObject({
      environment: 'math',
      index: 1,
      prompt: [{ text: '<script>1</script>' }],
      events: { events: [{ type: 'episode' }, { type: 'prompt' }, { type: 'end' }], next: null },
    });
    expect((await studio.request('GET', `/api/records/${records[2]?.id}`)).status).toBe(409);
    expect((await studio.request('GET', '/api/records/..%2fx')).status).toBe(404);
  });
});

test('U5: 100,000 episodes open in pages of constant size', async () => {
  const folder = join(root(), 'large');
  const small = root();
  await run(questions(1), { out: join(small, 'run') });
  await mkdir(folder);
  const [line] = await episodesOf(join(small, 'run'));
  await cp(join(small, 'run', 'run.json'), join(folder, 'run.json'));
  const COUNT = 100_000;
  const planned = Array.from({ length: COUNT }, (_, index) =>
    JSON.stringify({ episode: index, split: 'test', index, repeat: 0, taskHash: 'h' }),
  );
  await writeFile(join(folder, 'plan.jsonl'), `${planned.join('\n')}\n`);
  const played = Array.from({ length: COUNT }, (_, index) =>
    JSON.stringify({ ...line, episode: index, index, taskHash: 'h', reward: index % 10 === 0 ? 0 : 1 }),
  );
  await writeFile(join(folder, 'episodes.jsonl'), `${played.join('\n')}\n`);
  const studio = await openStudio({ runs: [folder] });
  const [head] = await studio.ask('GET /api/runs');
  const params = { run: head?.id ?? '' };
  const query: TaskQuery = { filter: 'failed', sort: 'index', order: 'desc', start: 9_990, stop: 10_000 };
  const table = await studio.ask('GET /api/runs/:run/tasks', params, { query });
  expect(head).toMatchObject({
    summary: { episodes: { planned: COUNT, valid: COUNT }, reward: { mean: 0.9 } },
  });
  expect(table).toMatchObject({ total: COUNT, matched: COUNT / 10 });
  expect(table.rows.map(({ index }) => index)).toEqual([90, 80, 70, 60, 50, 40, 30, 20, 10, 0]);
  const all = await studio.request('GET', `/api/runs/${head?.id}/tasks?start=0&stop=100000`);
  expect(all.body.rows).toHaveLength(1_000);
});
