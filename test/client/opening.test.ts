import { HttpError } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import { type ForeignServer, json, SID, startForeign, stream } from '../support/foreign.ts';
import { gate } from '../support/gate.ts';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

const FIRST = { split: 'train', index: 0 };

test('K1: a session id is read from JSON', async () => {
  const server = await startServer();
  const session = await openSession(server);
  expect((await server.post('/ping', undefined, { sid: session.sid })).status).toBe(200);
});

test('K1: a session id is read from the task_id of an event stream whose end is empty', async () => {
  expect((await openSession(await startForeign())).sid).toBe(SID);
});

test('K1: a session id is read from the end of an event stream, before its task_id', async () => {
  const server = await startForeign({
    'POST /create_session': stream(['task_id', 'another'], ['end', JSON.stringify({ sid: 'the-sid' })]),
  });
  expect((await openSession(server)).sid).toBe('the-sid');
  expect(server.on('/create_session')[0]?.headers.accept).toBe('application/json, text/event-stream;q=0.9');
});

test('K1: an answer without a session id is an error, and is not asked for again', async () => {
  const server = await startForeign({ 'POST /create_session': json({}) });
  const error = await rejection(quickClient(server).session(FIRST));
  expect(error).toMatchObject({ name: 'ClientError', message: expect.stringContaining('without a session id') });
  expect(server.on('/create_session')).toHaveLength(1);
});

test('K1: an error event instead of a session id is told with its text', async () => {
  const server = await startForeign({ 'POST /create_session': stream(['error', 'no capacity']) });
  expect((await rejection(quickClient(server).session(FIRST))).message).toContain('no capacity');
});

test('K1, K8: once a server has said that it takes them, ids of sessions are neither asked for nor given back', async () => {
  const server = await startServer();
  const sent: string[] = [];
  const client = quickClient(server, {
    fetch(url, init) {
      sent.push(url.slice(server.url.length));
      return fetch(url, init);
    },
  });
  const sids = new Set<string>();
  for (let count = 0; count < 3; count += 1) {
    await using session = await client.session(FIRST);
    await session.call('noargs');
    sids.add(session.sid);
  }
  const own = ['/create', '/math/call', '/delete'];
  expect(sent).toEqual(['/create_session', ...own, '/delete_session', ...own, ...own]);
  expect(sids.size).toBe(3);
  expect(server.counters).toMatchObject({ setups: 3, teardowns: 3 });
});

test.each([400, 404])('K1: a server that no longer takes ids of clients (%i) is asked for one', async (status) => {
  const server = await startForeign({
    'POST /create': (exchange) => {
      const { seen, response, count } = exchange;
      if (count === 1) response.setHeader('ors-features', 'client-session-id');
      const isOwn = seen.headers['x-session-id'] !== SID;
      return json(isOwn ? { detail: 'no such session' } : { sid: SID }, isOwn ? status : 200)(exchange);
    },
  });
  const client = quickClient(server);
  for (let count = 0; count < 3; count += 1) expect((await client.session(FIRST)).sid).toBe(SID);
  expect(server.on('/create')).toHaveLength(4);
  expect(server.on('/create_session')).toHaveLength(3);
});

test('K14: only fields that the official servers know are sent, and no task_id on a first call', async () => {
  const server = await startForeign();
  const client = quickClient(server);
  const byPlace = await client.session(FIRST);
  const byTask = await client.session({ task: { question: '1+1' }, secrets: { KEY: 'value' } });
  await byPlace.call('add', { a: 1 });
  expect(server.on('/create').map(({ body }) => body)).toEqual([
    { env_name: 'math', split: 'train', index: 0 },
    { env_name: 'math', task_spec: { question: '1+1' }, secrets: { KEY: 'value' } },
  ]);
  expect(server.on('/create_session').map(({ body }) => body)).toEqual([{}, {}]);
  expect(server.on('/math/call').map(({ body }) => body)).toEqual([{ name: 'add', input: { a: 1 } }]);
  await Promise.all([byPlace.close(), byTask.close()]);
  for (const path of ['/delete', '/delete_session', '/ping']) {
    for (const { body } of server.on(path)) expect(body).toBeUndefined();
  }
});

test('K16: every /create names its environment, also the second one and the one found by asking', async () => {
  const server = await startServer();
  await using code = await quickClient(server).environment('Code_Env').session({ split: 'train', index: 1 });
  expect(await code.prompt()).toMatchObject([{ text: 'code: b.py' }]);
  expect(await code.call('run')).toMatchObject({ text: 'ran b.py' });

  const foreign = await startForeign({ 'GET /list_environments': json(['found', 'math']) });
  await using session = await quickClient(foreign, { environment: undefined }).session(FIRST);
  expect(session.sid).toBe(SID);
  expect(foreign.on('/create')[0]?.body).toMatchObject({ env_name: 'found' });
});

test('a server without an environment is an error', async () => {
  const server = await startForeign({ 'GET /list_environments': json([]) });
  const error = await rejection(quickClient(server, { environment: undefined }).session(FIRST));
  expect(error.message).toBe('the server has no environment');
});

test('a refused episode is the refusal, once', async () => {
  const server = await startServer();
  const error = await rejection(quickClient(server).session({ split: 'train', index: 99 }));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ status: 400, code: 'bad_index', sid: expect.any(String) });
});

test('a session that exists already is no error for who has asked for it before, and one otherwise', async () => {
  const exists = json({ detail: 'Session already exists' }, 400);
  const lost: ForeignServer = await startForeign({
    'POST /create': ({ count, ...exchange }) =>
      count === 1 ? exchange.response.destroy() : exists({ count, ...exchange }),
  });
  await using session = await quickClient(lost).session(FIRST);
  expect(session.sid).toBe(SID);
  expect(lost.on('/create')).toHaveLength(2);

  const taken = await startForeign({ 'POST /create': exists });
  expect(await rejection(quickClient(taken).session(FIRST))).toMatchObject({ status: 400 });
  expect(taken.on('/create')).toHaveLength(1);
});

test('a session whose /create was lost while the server looked for the task is there when it is handed out', async () => {
  const [asked, found] = [gate(), gate()];
  const get = async () => {
    asked.open();
    await found.opened;
    return { id: 7 };
  };
  const server = await startServer({ environments: [minimal({ splits: { train: { count: 1, get } } })] });
  let creates = 0;
  const client = quickClient(server, {
    environment: 'minimal',
    fetch(url, init) {
      if (!url.endsWith('/create')) return fetch(url, init);
      creates += 1;
      // The first one reaches the server, and its answer does not come back.
      if (creates === 1) {
        const line = new AbortController();
        void asked.opened.then(() => line.abort(new TypeError('fetch failed')));
        return fetch(url, { ...init, signal: line.signal });
      }
      if (creates === 3) found.open();
      return fetch(url, init);
    },
  });
  await using session = await client.session(FIRST);
  expect(await session.prompt()).toMatchObject([{ text: '{"id":7}' }]);
  expect(creates).toBeGreaterThan(2);
});

test('a server that is silent about a session id is asked for another', async () => {
  const server = await startForeign({
    'POST /create_session': (exchange) => {
      if (exchange.count > 1) stream(['task_id', SID], ['end', ''])(exchange);
    },
  });
  await using session = await quickClient(server, { silenceMs: 50 }).session(FIRST);
  expect(session.sid).toBe(SID);
});

test('an episode that the server refused to begin is not ended: nothing of it is there', async () => {
  const server = await startForeign({ 'POST /create': json({ detail: 'no such task' }, 400) });
  const error = await rejection(quickClient(server).session(FIRST));
  expect(error).toMatchObject({ name: 'HttpError', status: 400 });
  // An answer to a later request: what was sent before has arrived by then.
  await rejection(quickClient(server).session(FIRST));
  expect(server.on('/create')).toHaveLength(2);
  expect(server.on('/delete')).toEqual([]);
});

test('K20: an episode whose caller gives up just as it has begun is ended again', async () => {
  const server = await startForeign();
  const controller = new AbortController();
  const client = quickClient(server, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!url.endsWith('/create')) return response;
      const text = await response.text();
      // After the last byte, so that nothing of the network hears of it.
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode(text)),
        pull(stream) {
          controller.abort(new Error('enough'));
          stream.close();
        },
      });
      return new Response(body, response);
    },
  });
  const error = await rejection(client.session({ ...FIRST, signal: controller.signal }));
  expect(error.message).toBe('enough');
  await eventually(() => expect(server.on('/delete')).toHaveLength(1));
});
