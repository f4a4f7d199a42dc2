import { once } from 'node:events';
import { environment, image, SetupError, text } from 'tiltyard';
import { expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { Gate, startGated } from '../support/gates.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

const READS = ['prompt', 'task_tools'] as const;

/** The names of an answer's tools. */
function toolNames({ json }: { json: { tools: { name: string }[] } }): string[] {
  return json.tools.map(({ name }) => name);
}

/** The prompt of an environment whose prompt is this. */
async function promptOf(content: unknown): Promise<object[]> {
  const { create, get } = await startServer({ environments: [minimal({ prompt: () => content as never })] });
  return (await get('/minimal/prompt', { sid: await create() })).json;
}

/** The tools of a new episode of an environment with the task tools `a` and `b`, and the shared tool `look`. */
async function taskToolsOf(taskTools?: () => readonly string[]) {
  const tools = { a: { shared: false, run: () => '' }, look: { run: () => '' }, b: { shared: false, run: () => '' } };
  const env = minimal({ tools, ...(taskTools === undefined ? {} : { taskTools }) });
  const { create, get } = await startServer({ environments: [env] });
  return get('/minimal/task_tools', { sid: await create() });
}

test('P1: the prompt is a bare array of blocks', async () => {
  const { create, get } = server();
  const answer = await get('/math/prompt', { sid: await create() });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.json).toEqual([
    { text: 'math: What is 0+0?', detail: null, type: 'text' },
    { data: 'aGk=', mimeType: 'image/png', detail: null, type: 'image' },
  ]);
});

test('P2: a block has all its keys and no other, whatever the author left out or added', async () => {
  const bare = { type: 'text', text: 'a', more: 1 };
  expect(await promptOf([bare, text('b', { k: 1 }), image(new Uint8Array([1]), 'image/gif', { w: 2 })])).toEqual([
    { text: 'a', detail: null, type: 'text' },
    { text: 'b', detail: { k: 1 }, type: 'text' },
    { data: 'AQ==', mimeType: 'image/gif', detail: { w: 2 }, type: 'image' },
  ]);
});

test.each<[what: string, content: unknown, seen: string[]]>([
  ['a string', 'hello', ['hello']],
  ['one block', text('hello'), ['hello']],
  ['no block at all', [], ['']],
])('P1: an author may give %s as the prompt, and clients get an array with a block', async (_what, content, seen) => {
  expect(await promptOf(content)).toEqual(seen.map((each) => ({ text: each, detail: null, type: 'text' })));
});

test.each(['code_env', 'MATH', 'nope'])('P3: the prompt at /%s is that of the session', async (env) => {
  const { create, get } = server();
  const sid = await create({ split: 'train', index: 3 });
  expect((await get(`/${env}/prompt`, { sid })).json[0].text).toBe('math: What is 3+3?');
});

test('P4: the prompt is made once for a session, for parallel and for later readers', async () => {
  const gate = new Gate();
  let made = 0;
  const prompt = async () => {
    made += 1;
    await gate.pass();
    return `prompt ${made}`;
  };
  const { create, get } = await startServer({ environments: [minimal({ prompt })] });
  const sid = await create();
  const reading = Array.from({ length: 3 }, () => get('/minimal/prompt', { sid }));
  await gate.reached;
  gate.open();
  const [first, ...others] = (await Promise.all(reading)).map(({ json }) => json);
  expect(first).toEqual([{ text: 'prompt 1', detail: null, type: 'text' }]);
  for (const other of [...others, (await get('/minimal/prompt', { sid })).json]) expect(other).toEqual(first);
  expect(made).toBe(1);
  await get('/minimal/prompt', { sid: await create() });
  expect(made).toBe(2);
});

test('P4: a prompt that failed is made again for the next reader', async () => {
  let made = 0;
  const prompt = () => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return 'ready';
  };
  const { create, get } = await startServer({ environments: [minimal({ prompt })] });
  const sid = await create();
  expectError(await get('/minimal/prompt', { sid }), 500, 'Error: not yet');
  expect((await get('/minimal/prompt', { sid })).json[0].text).toBe('ready');
});

test('P5: /task_tools has the shared tools and those of the task', async () => {
  const { create, get } = server();
  const shared = (await get('/math/tools')).json.tools;
  const { status, json } = await get('/math/task_tools', { sid: await create() });
  expect(status).toBe(200);
  const hint = { name: 'hint', description: 'A hint.', input_schema: null };
  expect(shared).not.toContainEqual(hint);
  expect(json).toEqual({ tools: [...shared, hint] });
});

test('P5: /task_tools ignores the environment of the path, as /prompt does', async () => {
  const { create, get } = server();
  expect(toolNames(await get('/nope/task_tools', { sid: await create() }))).toContain('hint');
});

test('P6: without taskTools, a task has all tools that are not shared', async () => {
  expect(toolNames(await taskToolsOf())).toEqual(['a', 'look', 'b']);
});

test.each([{ chosen: ['b'] }, { chosen: [] }, { chosen: ['b', 'a'] }])(
  'P6: taskTools choosing $chosen replaces that default',
  async ({ chosen }) => {
    const names = toolNames(await taskToolsOf(() => chosen));
    expect(names.filter((name) => name !== 'look').sort()).toEqual([...chosen].sort());
    expect(names).toContain('look');
  },
);

test('P6: taskTools sees the task and the state, and may be async', async () => {
  const env = environment({
    name: 'choosing',
    splits: { train: [{ tool: 'a' }, { tool: 'b' }] },
    setup: ({ task }) => ({ wanted: task.tool as 'a' | 'b' }),
    prompt: () => '',
    tools: { a: { shared: false, run: () => '' }, b: { shared: false, run: () => '' } },
    taskTools: async ({ task, state }) => (task.tool === state.wanted ? [state.wanted] : []),
  });
  const { create, get } = await startServer({ environments: [env] });
  for (const [index, name] of ['a', 'b'].entries()) {
    const sid = await create({ split: 'train', index });
    expect(toolNames(await get('/choosing/task_tools', { sid }))).toEqual([name]);
  }
});

test('P7: without task tools, /tools and /task_tools are equal', async () => {
  const tools = { z: { run: () => '' }, a: { description: 'A.', input: { type: 'object' }, run: () => '' } };
  const { create, get } = await startServer({ environments: [minimal({ tools })] });
  const { json } = await get('/minimal/task_tools', { sid: await create() });
  expect(json).toEqual((await get('/minimal/tools')).json);
  expect(json.tools.map(({ name }: { name: string }) => name)).toEqual(['z', 'a']);
});

test('P8: a task tool that is chosen twice is listed once', async () => {
  expect(toolNames(await taskToolsOf(() => ['a', 'a']))).toEqual(['a', 'look']);
});

test.each([
  ['look', /Tool name collision: .*'look'/],
  ['nope', /'nope'.* is not a tool/],
])('P8: taskTools naming %s is an error of the author, told as a failed setup', async (name, detail) => {
  expectError(await taskToolsOf(() => [name]), 500, detail);
});

test.each(READS)('P9: /%s is 404 for an unknown session and 410 for a deleted one', async (read) => {
  const { create, get, post } = server();
  expectError(await get(`/math/${read}`, { sid: 'unknown' }), 404, "no session 'unknown'");
  const sid = await create();
  await post('/delete', undefined, { sid });
  expectError(await get(`/math/${read}`, { sid }), 410, sid);
});

test.each(READS)('P10: /%s waits while setup runs', async (read) => {
  const { server: own, setup, trace } = await startGated();
  const sid = await own.create({ task_spec: { gates: ['setup'] } });
  const arrived = once(own.server.app.server, 'request');
  const reading = own.get(`/gated/${read}`, { sid }).finally(() => trace.push('answer'));
  await arrived;
  // A round trip, so that an answer that did not wait would be there by now.
  await own.post('/ping', undefined, { sid });
  expect(trace).not.toContain('answer');
  setup.open();
  expect((await reading).status).toBe(200);
});

test.each(READS)('P11: after a failed setup /%s is 500 with the reason every time, until /delete', async (read) => {
  const { create, get, post } = server();
  const sid = await create({ task_spec: { setup_fail: 'no disk left' } });
  for (let time = 0; time < 2; time += 1) {
    expectError(await get(`/math/${read}`, { sid }), 500, /^Error: no disk left$/);
  }
  await post('/delete', undefined, { sid });
  expectError(await get(`/math/${read}`, { sid }), 410);
});

test.each(READS)('P11: returnErrors hides the reason of a failed setup from /%s', async (read) => {
  const { create, get } = await startServer({ returnErrors: 'none' });
  const sid = await create({ task_spec: { setup_fail: 'no disk left' } });
  expectError(await get(`/math/${read}`, { sid }), 500, /^Internal Server Error$/);
});

test.each([400, 403, 404, 429])('P12: a setup may fail with %i and a text for the client', async (status) => {
  const setup = () => {
    throw new SetupError('this task needs a key', { status });
  };
  const { create, get } = await startServer({ environments: [minimal({ setup })], returnErrors: 'none' });
  const sid = await create();
  for (const read of READS) expectError(await get(`/minimal/${read}`, { sid }), status, /^this task needs a key$/);
});

test('P12: a setup that asks for another status than 4xx has failed, with 500', async () => {
  const setup = () => {
    throw new SetupError('fine', { status: 200 });
  };
  const { create, get } = await startServer({ environments: [minimal({ setup })] });
  expectError(await get('/minimal/prompt', { sid: await create() }), 500, /from 400 to 499, not 200/);
});

test.each(READS)('P13: /%s that waits for setup is 410 when the session is deleted', async (read) => {
  const { server: own } = await startGated();
  const sid = await own.create({ task_spec: { gates: ['setup'] } });
  const arrived = once(own.server.app.server, 'request');
  const reading = own.get(`/gated/${read}`, { sid });
  await arrived;
  expect((await own.post('/delete', undefined, { sid })).status).toBe(200);
  expectError(await reading, 410, sid);
});
