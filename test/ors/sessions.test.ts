import { expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { gate } from '../support/gate.ts';
import { type Answer, shareServer, startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { readEvents } from '../support/sse.ts';

const server = shareServer();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TASK = { split: 'train', index: 0 };

/** POSTs to /create under an id of its own. */
function tryCreate(body: object, { post }: TestServer = server()): Promise<Answer> {
  return post('/create', body, { sid: crypto.randomUUID() });
}

async function promptOf(sid: string, { get }: TestServer = server()): Promise<string> {
  return (await get('/math/prompt', { sid })).text;
}

test('S1: /create_session gives a new id each time', async () => {
  const { post } = server();
  const sids = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    for (const { status, json } of await Promise.all(Array.from({ length: 50 }, () => post('/create_session')))) {
      expect(status).toBe(200);
      expect(json).toEqual({ sid: expect.stringMatching(UUID) });
      sids.add(json.sid);
    }
  }
  expect(sids.size).toBe(1000);
});

test('S1: /create_session starts no episode', async () => {
  const { post, counters } = await startServer();
  const { sid } = (await post('/create_session')).json;
  expect((await post('/ping', undefined, { sid })).status).toBe(404);
  expect(counters.setups).toBe(0);
});

test.each([
  ['nothing at all', {}],
  ['a body that is not JSON', { raw: '{', headers: { 'content-type': 'application/json' } }],
  ['a session id', { sid: 'mine' }],
])('S2: /create_session takes %s', async (_what, options) => {
  const { status, json } = await server().request('POST', '/create_session', options);
  expect(status).toBe(200);
  expect(json.sid).toMatch(UUID);
});

test.each(['text/event-stream', 'text/event-stream, application/json;q=0.9', 'Text/Event-Stream'])(
  'S3: /create_session answers Accept: %s with events',
  async (accept) => {
    const { status, headers, text } = await server().post('/create_session', {}, { headers: { accept } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = readEvents(text);
    expect(events.map(({ event }) => event)).toEqual(['task_id', 'end']);
    expect(events[0]?.data).toMatch(UUID);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({ sid: events[0]?.data });
  },
);

test.each([
  '*/*',
  'application/json',
  'application/json, text/event-stream',
  'application/json, text/event-stream;q=0.9',
  'text/event-stream;q=0, application/json',
])('S3: /create_session answers Accept: %s with JSON', async (accept) => {
  const { json } = await server().post('/create_session', {}, { headers: { accept } });
  expect(json).toEqual({ sid: expect.stringMatching(UUID) });
});

test.each([{}, { env: { image: 'x' } }, { task_id: 'never issued' }, { task_id: 5 }])(
  'S4: /create_session takes the body %j and gives a new id',
  async (body) => {
    expect((await server().post('/create_session', body)).json.sid).toMatch(UUID);
  },
);

test('S4: /create_session gives an unused id again to who asks for it, and only an unused one', async () => {
  const { post, create } = server();
  const { sid } = (await post('/create_session')).json;
  expect((await post('/create_session', { task_id: sid })).json).toEqual({ sid });
  expect((await post('/create_session', { task_id: sid })).json).toEqual({ sid });
  await create(TASK, sid);
  expect((await post('/create_session', { task_id: sid })).json.sid).not.toBe(sid);
});

test('S5: /create answers with the id of its header', async () => {
  const { post } = server();
  const { sid } = (await post('/create_session')).json;
  const { status, json } = await post('/create', TASK, { sid });
  expect(status).toBe(200);
  expect(json).toEqual({ sid });
});

test.each([crypto.randomUUID(), 'any id of a gateway'])('S6: /create takes the foreign id %j', async (sid) => {
  expect((await server().post('/create', TASK, { sid })).json).toEqual({ sid });
});

test('S6: an id of 256 characters is taken by every route, and a longer one is 400', async () => {
  const { post, call } = server();
  const routes: ((sid: string) => Promise<Answer>)[] = [
    (sid) => post('/create', TASK, { sid }),
    (sid) => post('/ping', undefined, { sid }),
    (sid) => call(sid, 'echo', { value: 'x' }),
    (sid) => post('/delete', undefined, { sid }),
  ];
  for (const ask of routes) {
    expect((await ask('x'.repeat(256))).status).toBe(200);
    expectError(await ask('x'.repeat(257)), 400, 'X-Session-ID must have at most 256 characters');
  }
});

test('S7: /create answers while setup runs', async () => {
  const { opened, open } = gate();
  const own = await startServer({ environments: [minimal({ setup: () => opened, prompt: () => 'ready' })] });
  const sid = await own.create();
  // Had /create waited for setup, it would wait still.
  open();
  expect(await promptOf(sid, own)).toContain('ready');
});

test.each([{}, { env_name: null }])('S8: with %j, /create starts the first environment', async (name) => {
  const { json } = await tryCreate({ ...name, ...TASK });
  expect(await promptOf(json.sid)).toContain('math: ');
});

test.each(['nope', ''])('S9: /create with the unknown environment %j is 404', async (name) => {
  const { status, json } = await tryCreate({ env_name: name, ...TASK });
  expect(status).toBe(404);
  expect(json.detail).toBe(`unknown environment '${name}' (available: math, code_env)`);
});

test.each([
  ['both', { task_spec: {}, split: 'train', index: 0 }],
  ['neither', {}],
  ['a split alone', { split: 'train' }],
  ['an index alone', { index: 0 }],
  ['a task and a split', { task_spec: {}, split: 'train' }],
  ['a task and an index', { task_spec: {}, index: 0 }],
])('S10: /create with %s is 400', async (_what, body) => {
  const { status, json } = await tryCreate(body);
  expect(status).toBe(400);
  expect(json.detail).toMatch(/'task_spec'|'split' and 'index' go together/);
});

test.each([
  ['an empty task', { task_spec: {} }, 'math: '],
  ['index 0', { split: 'train', index: 0 }, 'math: What is 0+0?'],
  ['null for what is left out', { task_spec: { question: 'Q' }, split: null, index: null }, 'math: Q'],
  ['null for the task', { task_spec: null, split: 'hard', index: 0, secrets: null }, 'math: hard'],
])('S11: /create takes %s', async (_what, body, prompt) => {
  const { status, json } = await tryCreate(body);
  expect(status).toBe(200);
  expect(await promptOf(json.sid)).toContain(`"${prompt}"`);
});

test.each([[[]], ['a task'], [5], [true]])('S12: a task_spec that is %j is 400', async (task) => {
  const { status, json } = await tryCreate({ task_spec: task });
  expect(status).toBe(400);
  expect(json.detail).toContain("'task_spec' must be an object");
});

test('S12: a task_spec that does not fit the task schema is 400 and says where', async () => {
  const { status, json } = await tryCreate({ task_spec: { question: 5 } });
  expect(status).toBe(400);
  expect(json.detail).toContain('question: Must be a string');
});

test('S13: the server finds the task by split and index, and the environment sees that task', async () => {
  const { create, call } = server();
  const sid = await create({ split: 'train', index: 7 });
  expect(await promptOf(sid)).toContain('What is 7+7?');
  expect((await call(sid, 'submit', { answer: '14' })).result?.output.reward).toBe(1);
});

test.each([
  { split: 'nope', index: 0 },
  { split: 'train', index: 10 },
  { split: 'train', index: 1.5 },
  { split: 5, index: 0 },
])('S14: /create with %j is 400 and leaves the id free', async (body) => {
  const { post } = server();
  const sid = crypto.randomUUID();
  expect((await post('/create', body, { sid })).status).toBe(400);
  expect((await post('/create', TASK, { sid })).status).toBe(200);
});

test('S15: a second /create of a live session is 400, and the first episode goes on', async () => {
  const { post, create } = server();
  const sid = await create({ task_spec: { question: 'first' } });
  const { status, json } = await post('/create', { task_spec: { question: 'second' } }, { sid });
  expect(status).toBe(400);
  expect(json.detail).toContain('already exists');
  expect(await promptOf(sid)).toContain('first');
});

test('S16: two concurrent creates of one sid give one 200, one 400 and one setup', async () => {
  const { opened, open } = gate();
  const seen = { reads: 0, setups: 0 };
  const get = async (id: number) => {
    seen.reads += 1;
    await opened;
    return { id };
  };
  const setup = () => {
    seen.setups += 1;
  };
  const { post } = await startServer({ environments: [minimal({ splits: { train: { count: 1, get } }, setup })] });
  const creates = [1, 2].map(() => post('/create', TASK, { sid: 'same' }));
  // The first to answer is the refused one: the other still reads its task.
  expect((await Promise.race(creates)).status).toBe(400);
  open();
  expect((await Promise.all(creates)).map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(seen).toEqual({ reads: 1, setups: 1 });
});

test.each(['claude-code', 'x', ''])('S21: /create with the toolset %j is 400 and speaks of toolsets', async (name) => {
  const { status, json } = await tryCreate({ ...TASK, toolset_name: name });
  expect(status).toBe(400);
  expect(json.detail).toContain('toolset');
});

test('S21: a toolset of null counts as none', async () => {
  expect((await tryCreate({ ...TASK, toolset_name: null })).status).toBe(200);
});

test.each([{ foo: 1 }, { env: { cpu: 2 } }, { task_id: 'x' }])('S22: /create ignores %j', async (extra) => {
  expect((await tryCreate({ ...TASK, ...extra })).status).toBe(200);
});
