import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type RequestOptions, shareServer, startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { toRequest } from '../support/raw.ts';
import { AUTH, type Credentials, KEYS, withKey, withToken } from './credentials.ts';

// Fastify tells of each handler that it runs; what passes it by, it does not see.
const HANDLERS = 'tracing:fastify.request.handler:start';
const handled: string[] = [];
const note = (message: unknown) => {
  handled.push((message as { route: { url: string } }).route.url);
};
beforeAll(() => subscribe(HANDLERS, note));
afterAll(() => unsubscribe(HANDLERS, note));

const shared = shareServer();

/** How many requests Fastify handled meanwhile. */
async function seenByFastify(work: () => Promise<unknown>): Promise<number> {
  const before = handled.length;
  await work();
  return handled.length - before;
}

/** What a client can tell answers apart by. The id of a call is another each time. */
function toComparable({ status, headers, text }: Answer) {
  const kept = Object.fromEntries([...headers].filter(([name]) => name !== 'date'));
  return { status, headers: kept, text: text.replace(/[0-9a-f]{32}/, 'ID') };
}

const call = (name: string, input: unknown = {}) => JSON.stringify({ name, input });

const BODIES: [what: string, body: string][] = [
  ['a result', call('echo', { value: 'héllo 🎲' })],
  ['a result of many events', call('big', { n: 30_000, ch: 'é' })],
  ['a result that takes a while', call('slow', { ms: 30 })],
  ['a failure that the tool reports', call('fail')],
  ['a tool that crashes', call('boom')],
  ['a tool that nobody has', call('nobody')],
  ['an input that does not fit', call('num', { x: [] })],
  ['no tool', JSON.stringify({ input: {} })],
  ['no input', JSON.stringify({ name: 'echo' })],
  ['an id that nobody knows', JSON.stringify({ name: 'echo', input: {}, task_id: '0'.repeat(32) })],
  ['a list', '[]'],
  ['half a body', '{"name":"echo",'],
  ['a key to the prototype', '{"name":"echo","input":{"__proto__":{"a":1}}}'],
  ['the same in escapes', '{"name":"echo","input":{"\\u005f_proto__":{"a":1}}}'],
  ['a key to the prototype by its constructor', '{"name":"echo","input":{"constructor":{"prototype":{}}}}'],
];

test.each(BODIES)('%s is answered alike by both ways', async (_what, raw) => {
  const { request, create } = shared();
  const headers = { 'content-type': 'application/json' };
  const answers: Answer[] = [];
  const ask = async (path: string) => {
    const sid = await create();
    answers.push(await request('POST', path, { sid, raw, headers }));
  };
  // The slash at the end makes it one of Fastify's; /create is seen in both cases.
  expect(await seenByFastify(() => ask('/math/call'))).toBe(1);
  expect(await seenByFastify(() => ask('/math/call/'))).toBe(2);
  const [quick, plain] = answers.map(toComparable);
  expect(quick).toEqual(plain);
});

test.each(['/math/call', '/code/call'])(
  'a session that is not there, and one of another environment: %s',
  async (path) => {
    const { post, create } = shared();
    const body = { name: 'echo', input: {} };
    for (const sid of ['nobody', await create()]) {
      const [quick, plain] = [await post(path, body, { sid }), await post(`${path}/`, body, { sid })].map(toComparable);
      expect(quick).toEqual(plain);
    }
  },
);

const UNUSUAL: [what: string, path: string, options: RequestOptions][] = [
  ['a path with a query', '/math/call?a=b', {}],
  ['a name in capitals', '/MATH/call', {}],
  ['a type with parameters', '/math/call', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['an id with a space in it', '/math/call', { sid: 'two words' }],
  ['no id', '/math/call', { headers: {} }],
];

test.each(UNUSUAL)('%s is left to Fastify', async (_what, path, options) => {
  const { post } = shared();
  expect(await seenByFastify(() => post(path, { name: 'echo', input: {} }, options))).toBe(1);
});

test('a body that is too large is refused before it is read, in the usual words', async () => {
  const { post, create } = await startServer({ limits: { bodyBytes: 1_000 } });
  const sid = await create();
  const answer = await post('/math/call', { name: 'echo', input: { value: 'x'.repeat(2_000) } }, { sid });
  expect(answer).toMatchObject({ status: 413, json: { detail: expect.any(String) } });
});

test('a body in pieces is put together, and one that stays incomplete calls nothing', async () => {
  const { url, create, counters } = await startServer();
  const sid = await create();
  const body = Buffer.from(call('echo', { value: '🎲' }));
  const head = toRequest('POST /math/call', [
    'Content-Type: application/json',
    `X-Session-ID: ${sid}`,
    `Content-Length: ${body.length}`,
  ]);
  const whole = await openSocket(url);
  whole.write(head);
  for (const byte of body) {
    // Each byte for itself, also those of one character.
    whole.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  const [answer] = await once(whole, 'data');
  expect(String(answer)).toContain('🎲');
  whole.destroy();
  const cut = await openSocket(url);
  cut.write(head + body.toString().slice(0, 10));
  // The server has read it when it answers a request that came later.
  await create();
  cut.destroy();
  await create();
  expect(counters.runs.echo).toBe(1);
});

test('a call that waited behind others on its connection has been read by then, and is left to Fastify', async () => {
  const { url, create } = await startServer();
  const sid = await create();
  const count = 40;
  const headers = ['Content-Type: application/json', `X-Session-ID: ${sid}`];
  const calls = Array.from({ length: count }, (_, value) => {
    const body = call('echo', { value: `number ${value}.` });
    return toRequest('POST /math/call', [...headers, `Content-Length: ${body.length}`]) + body;
  });
  const socket = await openSocket(url);
  const seen = await seenByFastify(async () => {
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answers += text;
    });
    socket.write(calls.join(''));
    await expect.poll(() => answers.match(/number \d+/g)).toEqual(calls.map((_, value) => `number ${value}`));
  });
  socket.destroy();
  expect(seen).toBeGreaterThan(0);
  expect(seen).toBeLessThan(count);
});

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  return socket;
}

test('a call with a key is taken, one of a stranger, of somebody else and without the scope is not', async () => {
  const auth = {
    apiKeys: [
      { key: 'key-of-anna', identity: 'anna' },
      { key: 'key-of-bert', identity: 'bert' },
      { key: 'key-for-tools', identity: 'anna', scopes: ['other'] },
    ],
  };
  const { post } = await startServer({ auth });
  const sid = crypto.randomUUID();
  const withKey = (key: string) => ({ sid, headers: { 'x-api-key': key } });
  await post('/create', { split: 'train', index: 0 }, withKey('key-of-anna'));
  const body = { name: 'echo', input: { value: 'x' } };
  const statusOf = async (key: string) => (await post('/math/call', body, withKey(key))).status;
  expect(await seenByFastify(async () => expect(await statusOf('key-of-anna')).toBe(200))).toBe(0);
  expect(await statusOf('key-of-bert')).toBe(404);
  expect(await statusOf('key-for-tools')).toBe(403);
  expect(await statusOf('unknown')).toBe(401);
});

test('a token is verified by Fastify at the first call, and known at the next', async () => {
  const { post } = await startServer({ auth: AUTH });
  const callTwice = async (headers: Credentials) => {
    const sid = crypto.randomUUID();
    // With a key, so that the token is new to the server when it calls.
    await post('/create', { split: 'train', index: 0 }, { sid, headers: withKey(KEYS.team) });
    const answer = () => post('/math/call', { name: 'echo', input: { value: 'x' } }, { sid, headers });
    return [await seenByFastify(answer), await seenByFastify(answer), (await answer()).status];
  };
  expect(await callTwice(withToken())).toEqual([1, 0, 200]);
  expect(await callTwice(withToken({ scope: 'agent' }))).toEqual([1, 0, 200]);
  expect(await callTwice(withToken({ sub: 'rival' }))).toEqual([1, 0, 404]);
  // What is refused, is refused by Fastify, however often it comes.
  expect(await callTwice(withToken({ scope: 'other' }))).toEqual([0, 0, 403]);
  expect(await callTwice(withToken({}, 'another-secret-that-tests-may-know'))).toEqual([0, 0, 401]);
});

test('a call that passes Fastify by has its line of a request as well', async () => {
  const lines = logLines();
  const { create, call: callTool } = await startServer({ logger: lines.logger });
  const sid = await create();
  await callTool(sid, 'echo', { value: 'x' });
  await callTool('nobody', 'echo', { value: 'x' });
  await new Promise(setImmediate);
  const url = '/math/call';
  expect(linesOf(lines, 'request').filter((line) => line.url === url)).toMatchObject([
    { method: 'POST', url, sid, status: 200, ms: expect.any(Number) },
    { method: 'POST', url, sid: 'nobody', status: 404, ms: expect.any(Number) },
  ]);
});
