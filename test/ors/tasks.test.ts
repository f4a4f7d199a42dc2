import type { JsonObject } from 'tiltyard';
import { expect, test } from 'vitest';
import { type Answer, shareServer, startServer } from '../support/http.ts';
import { minimal, numbered } from '../support/minimal.ts';

const server = shareServer();

const TASK_0 = { question: 'What is 0+0?', answer: '0' };

function expectRefused({ status, json }: Answer, detail: string | RegExp = /./): void {
  expect(status).toBe(400);
  expect(json.detail).toMatch(detail);
}

/** The answers of the tasks of a range, which tell which tasks they are: task n has the answer 2n. */
async function range(bounds: JsonObject): Promise<number[]> {
  const { status, json } = await server().post('/math/task_range', { split: 'train', ...bounds });
  expect(status).toBe(200);
  return json.tasks.map(({ answer }: { answer: string }) => Number(answer) / 2);
}

test('D13: /tasks gives all tasks of a split and the name of the environment', async () => {
  const { post } = server();
  const { status, json } = await post('/math/tasks', { split: 'train' });
  expect(status).toBe(200);
  expect(json).toEqual({ tasks: expect.any(Array), env_name: 'math' });
  expect(json.tasks).toHaveLength(10);
  expect(json.tasks[0]).toEqual(TASK_0);
  expect((await post('/Code_Env/tasks', { split: 'train' })).json).toEqual({
    tasks: [{ file: 'a.py' }, { file: 'b.py' }],
    env_name: 'code_env',
  });
});

test.each([
  ['/math/tasks', {}],
  ['/math/num_tasks', {}],
  ['/math/task', { index: 0 }],
  ['/math/task_range', {}],
  ['/create', { index: 0 }],
])('D14: an unknown split is 400 on %s, and case counts', async (path, rest) => {
  for (const split of ['nope', 'Train', '', 'constructor']) {
    const answer = await server().post(path, { split, ...rest }, { sid: crypto.randomUUID() });
    expectRefused(answer, `unknown split '${split}' (math has train, test, hard)`);
  }
});

test('D15: a split by index cannot be listed, and says what to use instead', async () => {
  const splits = { train: { count: 5, get: (index: number) => ({ id: index }) } };
  const { post } = await startServer({ environments: [minimal({ splits })] });
  const ask = (action: string, rest = {}) => post(`/minimal/${action}`, { split: 'train', ...rest });
  expectRefused(await ask('tasks'), 'index-based API');
  expect((await ask('num_tasks')).json).toEqual({ num_tasks: 5 });
  expect((await ask('task', { index: 4 })).json.task).toEqual({ id: 4 });
  expect((await ask('task_range', { start: -2 })).json.tasks).toEqual([{ id: 3 }, { id: 4 }]);
});

test('D16: /num_tasks counts the tasks of a split', async () => {
  const { post } = server();
  expect((await post('/math/num_tasks', { split: 'train' })).json).toEqual({ num_tasks: 10 });
  expect((await post('/math/num_tasks', { split: 'test' })).json).toEqual({ num_tasks: 3 });
});

test('D17: /num_tasks does not load the tasks where the author gave a count', async () => {
  let loads = 0;
  const tasks = () => {
    loads += 1;
    return numbered(7);
  };
  const { post } = await startServer({ environments: [minimal({ splits: { train: { tasks, count: 7 } } })] });
  expect((await post('/minimal/num_tasks', { split: 'train' })).json).toEqual({ num_tasks: 7 });
  expect(loads).toBe(0);
  expect((await post('/minimal/tasks', { split: 'train' })).json.tasks).toHaveLength(7);
  expect(loads).toBe(1);
});

test('D18: /task gives one task', async () => {
  const { status, json } = await server().post('/math/task', { split: 'train', index: 0 });
  expect(status).toBe(200);
  expect(json.task).toEqual(TASK_0);
});

test.each([10, 9999, 1e21])('D19: index %d is out of range', async (index) => {
  const answer = await server().post('/math/task', { split: 'train', index });
  expectRefused(answer, `no task ${index} in split 'train' (it has 10)`);
});

test.each(['/math/task', '/create'])('D20: a negative index is 400 on %s', async (path) => {
  const body = { split: 'train', index: -1 };
  expectRefused(await server().post(path, body, { sid: crypto.randomUUID() }), "no task -1 in split 'train'");
});

test.each([{}, { index: 1.5 }, { index: '0' }, { index: true }, { index: null }, { index: [0] }])(
  'D21: the index must be an integer, not %j',
  async (index) => {
    expectRefused(await server().post('/math/task', { split: 'train', ...index }), "'index' must be an integer");
  },
);

const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

test.each([
  ['D22: a range without bounds is the whole split', {}, ALL],
  ['D22: null bounds count as left out', { start: null, stop: null }, ALL],
  ['D22: the start is 0 if left out', { stop: 2 }, [0, 1]],
  ['D22: the stop is the total if left out', { start: 8 }, [8, 9]],
  ['D23: a range includes its start and excludes its stop', { start: 0, stop: 3 }, [0, 1, 2]],
  ['D23: a range may begin anywhere', { start: 4, stop: 6 }, [4, 5]],
  ['D24: a negative start counts from the end', { start: -3 }, [7, 8, 9]],
  ['D24: a negative stop counts from the end', { stop: -8 }, [0, 1]],
  ['D24: both bounds may be negative', { start: -4, stop: -2 }, [6, 7]],
  ['D24: a start before the first task is the first task', { start: -999, stop: 2 }, [0, 1]],
  ['D24: a stop before the first task leaves nothing', { stop: -999 }, []],
  ['D25: an empty range is an empty list', { start: 5, stop: 5 }, []],
  ['D25: a range that ends before it starts is an empty list', { start: 8, stop: 2 }, []],
  ['D25: a range beyond the last task is an empty list', { start: 50, stop: 60 }, []],
  ['D25: a stop beyond the last task is the last task', { start: 8, stop: 99 }, [8, 9]],
])('%s: %j', async (_name, bounds, expected) => {
  expect(await range(bounds)).toEqual(expected);
});

test('D23: a split by index follows the same rules', async () => {
  const splits = { train: { count: async () => 10, get: async (id: number) => ({ id }) } };
  const { post } = await startServer({ environments: [minimal({ splits })] });
  const bounds: [number | null, number | null][] = [
    ...[null, 0, 3, 10, 50, -1, -10, -99].map((start): [number | null, null] => [start, null]),
    ...[0, 3, 10, 50, -1, -10, -99].map((stop): [number, number] => [2, stop]),
  ];
  for (const [start, stop] of bounds) {
    const { json } = await post('/minimal/task_range', { split: 'train', start, stop });
    expect(json.tasks.map(({ id }: { id: number }) => id)).toEqual(ALL.slice(start ?? 0, stop ?? undefined));
  }
});

test.each([{ start: '0' }, { start: 1.5 }, { stop: '3' }, { stop: 2.5 }, { start: true }, { stop: {} }])(
  'D26: a bound must be an integer: %j is 400',
  async (bounds) => {
    expectRefused(await server().post('/math/task_range', { split: 'train', ...bounds }), /'(start|stop)' must be an/);
  },
);

test.each([
  ['task', { index: 0 }, 'task'],
  ['task_range', { start: 0, stop: 1 }, 'tasks'],
])('D27: /%s carries env_name', async (action, body, key) => {
  const { json } = await server().post(`/Code_Env/${action}`, { split: 'train', ...body });
  expect(json).toEqual({ [key]: expect.anything(), env_name: 'code_env' });
});

test.each([
  ['tasks', {}],
  ['task', { index: 1 }],
  ['task_range', {}],
])('D28: the env_name of /%s is accepted by /create', async (action, body) => {
  const { post, create, get } = server();
  const { json } = await post(`/CODE_ENV/${action}`, { split: 'train', ...body });
  const sid = await create({ env_name: json.env_name, split: 'train', index: 1 });
  expect((await get(`/${json.env_name}/prompt`, { sid })).text).toContain('code: b.py');
});

function loading(count: number) {
  const loads = { count: 0 };
  const train = async () => {
    loads.count += 1;
    await new Promise(setImmediate);
    return numbered(count);
  };
  return { loads, train };
}

test('D29: a range of a thousand tasks loads the list once, and later requests do not load it again', async () => {
  const { loads, train } = loading(1000);
  const { post, create } = await startServer({ environments: [minimal({ splits: { train } })] });
  expect((await post('/minimal/task_range', { split: 'train' })).json.tasks).toHaveLength(1000);
  expect(loads.count).toBe(1);
  await post('/minimal/tasks', { split: 'train' });
  await post('/minimal/num_tasks', { split: 'train' });
  await post('/minimal/task', { split: 'train', index: 999 });
  await create({ split: 'train', index: 500 });
  expect(loads.count).toBe(1);
});

test('D29: fifty requests at once share one load', async () => {
  const { loads, train } = loading(50);
  const { post } = await startServer({ environments: [minimal({ splits: { train } })] });
  const answers = await Promise.all(numbered(50).map(({ id }) => post('/minimal/task', { split: 'train', index: id })));
  expect(answers.map(({ json }) => json.task.id)).toEqual(numbered(50).map(({ id }) => id));
  expect(loads.count).toBe(1);
});

test('D30: an environment derived from another has tasks of its own', async () => {
  const base = minimal({ name: 'base', splits: { train: () => numbered(2) } });
  const { kind: _, ...definition } = base;
  const derived = minimal({ ...definition, name: 'derived', splits: { train: () => numbered(5) } });
  const { post } = await startServer({ environments: [base, derived] });
  const count = async (name: string) => (await post(`/${name}/num_tasks`, { split: 'train' })).json.num_tasks;
  expect([await count('base'), await count('derived'), await count('base')]).toEqual([2, 5, 2]);
});

test('D30: environments that share a loader do not share its tasks', async () => {
  const { loads, train } = loading(3);
  const environments = ['one', 'two'].map((name) => minimal({ name, splits: { train } }));
  const { post } = await startServer({ environments });
  for (const name of ['one', 'two', 'one']) await post(`/${name}/task`, { split: 'train', index: 0 });
  expect(loads.count).toBe(2);
});

test('D29: of a million tasks by index, each request reads the tasks it asks for and no others', async () => {
  const read: number[] = [];
  const get = (index: number) => {
    read.push(index);
    return { id: index };
  };
  const { post, create } = await startServer({
    environments: [minimal({ splits: { train: { count: 1_000_000, get } } })],
  });
  const ask = async (action: string, body: JsonObject) => {
    expect((await post(`/minimal/${action}`, { split: 'train', ...body })).status).toBe(200);
    return read.splice(0);
  };
  expect(await ask('num_tasks', {})).toEqual([]);
  expect(await ask('task', { index: 777_777 })).toEqual([777_777]);
  expect(await ask('task_range', { start: -3 })).toEqual([999_997, 999_998, 999_999]);
  expect(await ask('task_range', { start: 100, stop: 200 })).toHaveLength(100);
  await create({ split: 'train', index: 123_456 });
  expect(read).toEqual([123_456]);
});
