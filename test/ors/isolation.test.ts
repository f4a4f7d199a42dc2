import { expect, test } from 'vitest';
import { type CallAnswer, shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

function textOf({ result }: CallAnswer): string {
  return result?.output.blocks[0].text;
}

/** Two sessions of one task, with what differs between them. */
async function two(first: object, second: object): Promise<[string, string]> {
  const { create } = server();
  return [await create({ task_spec: {}, ...first }), await create({ task_spec: {}, ...second })];
}

test('S32: the state of one session does not reach another', async () => {
  const { call } = server();
  const [a, b] = await two({}, {});
  await call(a, 'note', { text: 'of a' });
  expect(textOf(await call(b, 'note', { text: 'of b' }))).toBe('of b');
  expect(textOf(await call(a, 'note', { text: 'again' }))).toBe('of a,again');
});

test('S32: the end of one episode does not end another', async () => {
  const { call, post } = server();
  const [a, b] = await two({}, {});
  expect((await call(a, 'submit', { answer: 'x' })).result?.output.finished).toBe(true);
  expect((await call(b, 'noargs')).result?.ok).toBe(true);
  await post('/delete', undefined, { sid: a });
  expect((await call(b, 'noargs')).result?.ok).toBe(true);
});

test('S32: each session has the tools of its own task', async () => {
  const { call, get } = server();
  const [a, b] = await two({ task_spec: { task_tools: ['hint'] } }, { task_spec: { task_tools: [] } });
  const names = async (sid: string) =>
    (await get('/math/task_tools', { sid })).json.tools.map(({ name }: { name: string }) => name);
  expect(await names(a)).toContain('hint');
  expect(await names(b)).not.toContain('hint');
  expect(textOf(await call(a, 'hint'))).toBe('think');
  expect((await call(b, 'hint')).status).toBe(404);
});

test('S32: each session has its own secrets', async () => {
  const { call } = server();
  const [a, b] = await two({ secrets: { key: 'of a' } }, { secrets: { other: 'of b' } });
  expect(JSON.parse(textOf(await call(a, 'secret')))).toEqual({ key: 'of a' });
  expect(JSON.parse(textOf(await call(b, 'secret')))).toEqual({ other: 'of b' });
});

test('S32: a task id of one session means nothing in another', async () => {
  const { call } = server();
  const [a, b] = await two({}, {});
  const made = await call(a, 'echo', { value: 'of a' });
  expect(await call(b, 'echo', { value: 'x' }, { taskId: made.taskId ?? '' })).toMatchObject({
    error: 'unknown task_id',
    result: undefined,
  });
  expect(textOf(await call(a, 'echo', { value: 'of a' }, { taskId: 'chosen' }))).toBe('of a');
  expect(textOf(await call(b, 'echo', { value: 'of b' }, { taskId: 'chosen' }))).toBe('of b');
});

test.each([
  ['an array', [{ tags: ['new'] }]],
  ['a function', () => [{ tags: ['new'] }]],
  ['an index', { count: 1, get: () => kept }],
])('S32: what an episode does to a task from %s stays in that episode', async (_source, train) => {
  const mark = {
    run: (_input: unknown, { task }: { task: { tags: string[] } }) => {
      task.tags.push('marked');
      return task.tags.join();
    },
  };
  const { create, call, post } = await startServer({ environments: [minimal({ splits: { train }, tools: { mark } })] });
  for (const sid of [await create(), await create()]) {
    expect(textOf(await call(sid, 'mark', {}, { env: 'minimal' }))).toBe('new,marked');
  }
  expect((await post('/minimal/task', { split: 'train', index: 0 })).json.task).toEqual({ tags: ['new'] });
});

// An author may well give out the same object again.
const kept = { tags: ['new'] };
