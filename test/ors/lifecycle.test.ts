import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { eventually, MINUTE, SECOND, stopClock } from '../support/clock.ts';
import { startGated } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { liveBytes, MEGABYTE } from '../support/memory.ts';
import { toResult } from '../support/sse.ts';
import { arrivals } from '../support/stream.ts';

const IDLE = 15 * MINUTE;

/** The statuses that all routes of a session answer. */
async function statusesOf({ get, post, call }: TestServer, sid: string): Promise<Record<string, number>> {
  return {
    prompt: (await get('/gated/prompt', { sid })).status,
    task_tools: (await get('/gated/task_tools', { sid })).status,
    call: (await call(sid, 'wait', {}, { env: 'gated' })).status,
    ping: (await post('/ping', undefined, { sid })).status,
    delete: (await post('/delete', undefined, { sid })).status,
  };
}

const GONE = { prompt: 410, task_tools: 410, call: 410, ping: 404, delete: 404 };
const UNKNOWN = { prompt: 404, task_tools: 404, call: 404, ping: 404, delete: 404 };

describe('idle sessions', () => {
  test('L1: a session is torn down after 15 minutes without a request, and not before', async () => {
    const clock = stopClock();
    const { trace } = await startGated();
    await clock.pass(IDLE - SECOND);
    expect(trace).toEqual(['setup']);
    await clock.pass(10 * SECOND);
    await eventually(() => expect(trace).toEqual(['setup', 'teardown', 'teardown:end']));
  });

  test('L1: after how long a session expires can be chosen', async () => {
    const { trace } = await startGated({ limits: { idleMs: 40 } });
    await eventually(() => expect(trace).toContain('teardown:end'));
  });

  test.each([
    ['POST', '/ping'],
    ['GET', '/health'],
    ['GET', '/list_environments'],
    ['POST', '/create_session'],
    ['POST', '/create'],
    ['GET', '/math/tools'],
    ['GET', '/math/splits'],
    ['POST', '/math/tasks'],
    ['POST', '/math/num_tasks'],
    ['POST', '/math/task'],
    ['POST', '/math/task_range'],
    ['GET', '/math/task_tools'],
    ['GET', '/math/prompt'],
    ['POST', '/math/call'],
    ['GET', '/nope/tools'],
  ])('L2: %s %s with the sid keeps a session alive', async (method, path) => {
    const clock = stopClock();
    const { request, post, create } = await startServer();
    const [used, unused] = [await create(), await create()];
    for (let times = 0; times < 2; times += 1) {
      await clock.pass(IDLE - MINUTE);
      await request(method, path, { sid: used, ...(method === 'POST' ? { raw: '{"split":"train"}' } : {}) });
    }
    expect((await post('/ping', undefined, { sid: used })).status).toBe(200);
    const late = await post('/ping', undefined, { sid: unused });
    expect([late.status, late.json.code]).toEqual([404, 'session_expired']);
  });

  test.each(['application/json', 'application/json; charset=utf-8'])(
    'L2: a call as %s keeps a session alive, also if nothing comes of it',
    async (type) => {
      const clock = stopClock();
      const { request, post, create } = await startServer();
      const sid = await create();
      for (let times = 0; times < 2; times += 1) {
        await clock.pass(IDLE - MINUTE);
        const answer = await request('POST', '/math/call', { sid, raw: '{}', headers: { 'content-type': type } });
        expect(answer.status).toBe(400);
      }
      expect((await post('/ping', undefined, { sid })).status).toBe(200);
    },
  );

  test('L3: a running call keeps its session alive, and the clock restarts when it ends', async () => {
    const clock = stopClock();
    const { server, sid, tool, open } = await startGated();
    const call = open();
    await call.taskId();
    await clock.pass(3 * IDLE);
    tool.open();
    expect(toResult(await call.ended)?.ok).toBe(true);
    await clock.pass(IDLE - MINUTE);
    expect((await server.post('/ping', undefined, { sid })).status).toBe(200);
  });

  test('L3: a running call keeps its session alive when its client is gone', async () => {
    const clock = stopClock();
    const { tool, open } = await startGated();
    const first = open();
    const taskId = await first.taskId();
    first.drop();
    await clock.pass(3 * IDLE);
    tool.open();
    expect(toResult(await open({ taskId }).ended)?.ok).toBe(true);
  });

  test.each([
    ['a prompt', '/gated/prompt'],
    ['its tools', '/gated/task_tools'],
  ])('L3: a client that waits for %s while setup runs keeps the session alive', async (_what, path) => {
    const clock = stopClock();
    const { server, setup } = await startGated();
    const sid = await server.create({ task_spec: { gates: ['setup'] } });
    const arrived = arrivals(server);
    const waiting = server.get(path, { sid });
    await arrived;
    await clock.pass(3 * IDLE);
    setup.open();
    expect((await waiting).status).toBe(200);
    await clock.pass(IDLE - MINUTE);
    expect((await server.post('/ping', undefined, { sid })).status).toBe(200);
  });

  test('L4: an expired session answers like a deleted one', async () => {
    const clock = stopClock();
    const { server, sid, trace } = await startGated();
    await clock.pass(IDLE + MINUTE);
    await eventually(() => expect(trace).toContain('teardown:end'));
    expect(await statusesOf(server, sid)).toEqual(GONE);
  });
});

describe('the memory of sessions that ended', () => {
  test('L5: a session that ended is remembered for 15 minutes', async () => {
    const clock = stopClock();
    const { server, sid } = await startGated();
    await server.post('/delete', undefined, { sid });
    await clock.pass(15 * MINUTE - SECOND);
    expect(await statusesOf(server, sid)).toEqual(GONE);
    await clock.pass(2 * SECOND);
    expect(await statusesOf(server, sid)).toEqual(UNKNOWN);
  });

  test('L5: only so many sessions are remembered, and the oldest are dropped', async () => {
    const { server } = await startGated({ limits: { maxTombstones: 2 } });
    const sids = [];
    for (let count = 0; count < 4; count += 1) {
      const sid = await server.create();
      await server.post('/delete', undefined, { sid });
      sids.push(sid);
    }
    const statuses = await Promise.all(sids.map((sid) => server.get('/gated/prompt', { sid })));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 410, 410]);
  });

  test('L10: requests with unknown sids leave nothing behind', async () => {
    const { url, get } = await startServer();
    const sids = Array.from({ length: 10_000 }, () => randomBytes(120).toString('hex'));
    await ask(url, sids.slice(0, 2_000));
    const before = await liveBytes();
    await ask(url, sids);
    // To keep the ids alone would take 2.4 MB, besides what this test holds.
    expect((await liveBytes()) - before).toBeLessThan(1.5 * MEGABYTE);
    const statuses = await Promise.all(sids.slice(-20).map((sid) => get('/math/prompt', { sid })));
    expect(statuses.filter(({ status }) => status !== 404)).toEqual([]);
  });
});

/** Sends one request for each sid over one connection, in turn to all routes that take a sid. */
async function ask(url: string, sids: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const answers = text(socket);
  const routes = ['POST /ping', 'POST /delete', 'POST /delete_session', 'POST /math/call', 'GET /math/prompt'];
  for (const [index, sid] of sids.entries()) {
    const connection = index === sids.length - 1 ? 'close' : 'keep-alive';
    const headers = `Host: localhost\r\nX-Session-ID: ${sid}\r\nConnection: ${connection}\r\nContent-Length: 0`;
    socket.write(`${routes[index % routes.length]} HTTP/1.1\r\n${headers}\r\n\r\n`);
  }
  // Not by a regular expression: the engine would hold on to the text that matched last.
  expect((await answers).split('HTTP/1.1 ')).toHaveLength(sids.length + 1);
}
