import { expect, test } from 'vitest';
import { minimal, numbered } from '../../test/support/minimal.ts';
import { catalog, type TaskSource } from './index.ts';

/** The tasks of a split as a server has them. */
function source(train: unknown): TaskSource {
  return catalog([minimal({ splits: { train: train as never } })]).first.split('train');
}

/** A source by index that notes what is read. */
function huge(count: unknown = 1_000_000) {
  const read: number[] = [];
  const get = async (id: number) => {
    read.push(id);
    return { id };
  };
  return { read, tasks: source({ count, get }) };
}

/** A loader whose first runs fail. */
function failing<Value>(times: number, value: Value, error: unknown = new Error('the disk is gone')) {
  const runs = { count: 0 };
  const load = async () => {
    runs.count += 1;
    if (runs.count <= times) throw error;
    return value;
  };
  return { runs, load };
}

/** Whatever a source gives or throws, at once or later. */
async function attempt<Value>(ask: () => Value): Promise<Awaited<Value>> {
  return await ask();
}

test.each<[what: string, train: unknown]>([
  ['an array', numbered(4)],
  ['a function', () => numbered(4)],
  ['an async function', async () => numbered(4)],
  ['an array with a type', { type: 'test', tasks: numbered(4) }],
  ['a function with a count', { tasks: () => numbered(4), count: 4 }],
])('%s can be counted, read by index, by range, and listed', async (_what, train) => {
  const tasks = source(train);
  expect(await tasks.count()).toBe(4);
  expect(await tasks.get(3)).toEqual({ id: 3 });
  expect(await tasks.range(1, -1)).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await tasks.range(undefined, undefined)).toEqual(numbered(4));
  expect(await tasks.list()).toEqual(numbered(4));
});

test.each<[what: string, count: unknown]>([
  ['a number', 4],
  ['a function', () => 4],
  ['an async function', async () => 4],
])('a source by index whose count is %s can do all but be listed', async (_what, count) => {
  const { tasks } = huge(count);
  expect(await tasks.count()).toBe(4);
  expect(await tasks.get(3)).toEqual({ id: 3 });
  expect(await tasks.range(1, -1)).toEqual([{ id: 1 }, { id: 2 }]);
  await expect(attempt(() => tasks.list())).rejects.toMatchObject({
    code: 'not_listable',
    message: expect.stringContaining('index-based API'),
  });
});

test('of a million tasks, only those that are asked for are read', async () => {
  const { read, tasks } = huge();
  expect(await tasks.count()).toBe(1_000_000);
  expect(read.splice(0)).toEqual([]);
  expect(await tasks.get(999_999)).toEqual({ id: 999_999 });
  expect(read.splice(0)).toEqual([999_999]);
  expect(await tasks.range(-2, undefined)).toEqual([{ id: 999_998 }, { id: 999_999 }]);
  expect(read.splice(0)).toEqual([999_998, 999_999]);
  expect(await tasks.range(500, 600)).toEqual(numbered(600).slice(500));
  expect(read.splice(0)).toHaveLength(100);
  expect(await tasks.range(2_000_000, undefined)).toEqual([]);
  await expect(attempt(() => tasks.get(1_000_000))).rejects.toThrow();
  expect(read).toEqual([]);
});

test('a long range is read by many at a time, but never by too many, and stays in order', async () => {
  let now = 0;
  let most = 0;
  const get = async (id: number) => {
    now += 1;
    most = Math.max(most, now);
    // Later tasks come first.
    for (let turn = 0; turn < 10 - (id % 10); turn += 1) await new Promise(setImmediate);
    now -= 1;
    return { id };
  };
  expect(await source({ count: 200, get }).range(0, 200)).toEqual(numbered(200));
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThan(100);
});

test('those who ask at once share one load, and those who ask later its tasks', async () => {
  const { runs, load } = failing(0, numbered(3));
  const tasks = source(load);
  await Promise.all([tasks.count(), tasks.get(0), tasks.get(1), tasks.range(0, 2), tasks.list(), tasks.list()]);
  await tasks.get(2);
  expect(runs.count).toBe(1);
});

test('a count that is a function runs once', async () => {
  const { runs, load } = failing(0, 5);
  const { tasks } = huge(load);
  await Promise.all([tasks.count(), tasks.get(0), tasks.range(0, 2)]);
  await tasks.count();
  expect(runs.count).toBe(1);
});

test('a failed load fails all who waited for it, and the next one tries again', async () => {
  const { runs, load } = failing(1, numbered(3));
  const tasks = source(load);
  const settled = await Promise.allSettled([tasks.get(0), tasks.count(), tasks.list()]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(runs.count).toBe(1);
  expect(await tasks.get(0)).toEqual({ id: 0 });
  expect(runs.count).toBe(2);
});

test('a failed count is tried again by the next', async () => {
  const { runs, load } = failing(1, 5);
  const { tasks } = huge(load);
  await expect(attempt(() => tasks.count())).rejects.toMatchObject({ code: 'environment_failed' });
  expect(await tasks.count()).toBe(5);
  expect(runs.count).toBe(2);
});

test('what a loader threw is kept, with the split it belongs to', async () => {
  const tasks = source(failing(1, []).load);
  await expect(attempt(() => tasks.count())).rejects.toMatchObject({
    code: 'environment_failed',
    message: "the tasks of split 'train' could not be read",
    thrown: { name: 'Error', message: 'the disk is gone' },
  });
});

test('a RangeError from get says that the index is bad', async () => {
  const get = (index: number) => {
    throw new RangeError(`no line ${index} in the file`);
  };
  await expect(attempt(() => source({ count: 5, get }).get(4))).rejects.toMatchObject({
    code: 'bad_index',
    message: "split 'train': no line 4 in the file",
  });
});

test.each<[what: string, train: unknown]>([
  ['a list', failing(1, [], new RangeError('Invalid array length')).load],
  ['a count', { count: failing(1, 0, new RangeError('Invalid array length')).load, get: () => ({}) }],
])('a RangeError from the loader of %s says nothing about an index', async (_what, train) => {
  await expect(attempt(() => source(train).get(0))).rejects.toMatchObject({ code: 'environment_failed' });
});

test.each([-1, 3, 1.5, Number.NaN])('there is no task %d of three', async (index) => {
  for (const train of [numbered(3), () => numbered(3), { count: 3, get: (id: number) => ({ id }) }]) {
    await expect(attempt(() => source(train).get(index))).rejects.toMatchObject({
      code: 'bad_index',
      message: `no task ${index} in split 'train' (it has 3)`,
    });
  }
});

test.each<[what: string, train: unknown, problem: string]>([
  ['a list that is none', () => ({ tasks: [] }), 'its tasks must be an array, not an object'],
  ['a list that is missing', () => undefined, 'its tasks must be an array, not nothing'],
  ['a task that is text', ['a.py'], 'task 0 must be an object, not "a.py"'],
  ['a task that is a list', () => [[]], 'task 0 must be an object, not an array'],
  ['a task that is missing', { count: 1, get: () => undefined }, 'task 0 must be an object, not nothing'],
  ['a count that is text', { count: () => '1', get: () => ({}) }, 'its count must be a whole number, not "1"'],
  ['a count below zero', { count: async () => -1, get: () => ({}) }, 'its count must be a whole number, not -1'],
  ['no count at all', { count: () => Number.NaN, get: () => ({}) }, 'its count must be a whole number, not NaN'],
])('%s is the author’s mistake, and told as such', async (_what, train, problem) => {
  await expect(attempt(() => source(train).get(0))).rejects.toMatchObject({
    code: 'environment_failed',
    message: `split 'train': ${problem}`,
  });
});
