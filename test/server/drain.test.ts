import { once } from 'node:events';
import Fastify from 'fastify';
import { toolkit } from 'tiltyard';
import { connectOxp, SessionTerminated } from 'tiltyard/client';
import { ors, oxp } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startToolServer } from '../oxp/support.ts';
import { toolFixture } from '../oxp/toolkits.ts';
import { openSession, rejection } from '../support/client.ts';
import { eventually } from '../support/clock.ts';
import { expectError } from '../support/errors.ts';
import { Gate, gated, startGated } from '../support/gates.ts';
import { client } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { openCall } from '../support/stream.ts';

// Longer than any test takes: what ends before has not been waiting for it.
const drainMs = 60_000;

describe('a stopping server with environments', () => {
  test('L11: lets a running call end as always, is not healthy meanwhile, and takes no new sessions', async () => {
    const { server, open, tool, trace } = await startGated({ limits: { drainMs } });
    const stream = open();
    await stream.taskId();
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    const refused = await server.post('/create', { split: 'train', index: 0 }, { sid: 'late' });
    expectError(refused, 503, 'the server is stopping and accepts no new sessions');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(trace).not.toContain('teardown');
    tool.open();
    expect((await stream.ended).at(-1)?.event).toBe('end');
    await closed;
    expect(trace.slice(-3)).toEqual(['wait:end', 'teardown', 'teardown:end']);
    expect(trace).not.toContain('wait:aborted');
  });

  test('L11: ends sessions without calls at once, and does not wait for the others', async () => {
    const { server, open, tool, count } = await startGated({ limits: { drainMs } });
    const quiet = await server.create();
    const stream = open();
    await stream.taskId();
    const closed = server.server.close();
    await eventually(() => expect(count('teardown:end')).toBe(1));
    expectError(await server.call(quiet, 'wait', {}, { env: 'gated' }), 410);
    tool.open();
    await closed;
    expect(count('teardown:end')).toBe(2);
  });

  test('R3: lets a client come back for its running call, but takes no new one', async () => {
    const { server, sid, open, tool, count } = await startGated({ limits: { drainMs } });
    const first = open();
    const taskId = await first.taskId();
    first.drop();
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    const again = open({ taskId });
    expect(await again.taskId()).toBe(taskId);
    const refused = await server.call(sid, 'wait', {}, { env: 'gated' });
    expectError(refused, 503, `the server is stopping, and session '${sid}' accepts no new calls`);
    expect(refused.json.code).toBe('shutting_down');
    // So that its client does not come back on a connection that is about to end.
    expect(refused.headers.get('connection')).toBe('close');
    tool.open();
    expect((await again.ended).at(-1)?.event).toBe('end');
    await closed;
    expect(count('wait')).toBe(1);
  });

  test('L11: lets those who wait for setup have their answer', async () => {
    const { server, setup, tool } = await startGated({ limits: { drainMs } });
    const sid = await server.create({ task_spec: { gates: ['setup'] } });
    const prompt = server.get('/gated/prompt', { sid });
    const call = server.call(sid, 'wait', {}, { env: 'gated', taskId: 'mine' });
    await setup.reached;
    // Both wait as soon as the server has looked at them; an answer to a later request says that it has.
    await eventually(async () => expect((await server.call(sid, 'nope', {}, { env: 'nope' })).status).toBe(404));
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    tool.open();
    setup.open();
    expect((await prompt).status).toBe(200);
    expect((await call).result?.ok).toBe(true);
    await closed;
  });

  test('L11: aborts calls when the time is up, and the client hears that its session is over', async () => {
    const { server, trace } = await startGated({ limits: { drainMs: 50 } });
    const session = await openSession(server, { environment: 'gated' });
    const failed = rejection(session.call('wait'));
    await eventually(() => expect(trace).toContain('wait'));
    await server.server.close();
    const error = await failed;
    expect(error).toBeInstanceOf(SessionTerminated);
    expect(error).toMatchObject({ code: 'session_gone', sid: session.sid });
    expect(error.message).toContain('ended because the server is stopping. Create a new one');
    expect(trace).toContain('wait:aborted');
    expect(trace.filter((event) => event === 'teardown:end')).toHaveLength(2);
  });

  test('stops once, however often it is asked', async () => {
    const { server, open, tool, count } = await startGated({ limits: { drainMs } });
    await open().taskId();
    const stops = [server.server.close(), server.server.close()];
    tool.open();
    await Promise.all(stops);
    expect(count('teardown')).toBe(1);
  });
});

describe('a stopping server with toolkits', () => {
  test('OXP E7: lets a running call end as always, and takes no new one', async () => {
    const server = await startToolServer({ limits: { drainMs } });
    const running = server.call({ tool_id: 'Slow.Wait', input: { tag: 'a' } });
    await server.gate('a').reached;
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    const { status, headers } = await server.call({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } });
    expect([status, headers.get('retry-after')]).toEqual([400, '5']);
    server.gate('a').open();
    expect((await running).json.result.success).toBe(true);
    await closed;
  });

  test('OXP I4: lets a caller come back for its call, while it runs and after it, but takes no new one', async () => {
    const server = await startToolServer({ limits: { drainMs } });
    const request = { tool_id: 'Slow.Wait', call_id: 'mine', input: { tag: 'a' } };
    const leaving = new AbortController();
    const cut = rejection(server.call(request, { signal: leaving.signal }));
    // Another call keeps the server from stopping.
    const other = server.call({ tool_id: 'Slow.Wait', input: { tag: 'b' } });
    await Promise.all([server.gate('a').reached, server.gate('b').reached]);
    leaving.abort();
    await cut;
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    const again = server.call(request);
    const refused = await server.call({ ...request, call_id: 'new' });
    expect([refused.status, refused.json.developer_message]).toEqual([400, 'the server is stopping']);
    server.gate('a').open();
    const { status, text, json } = await again;
    expect([status, json.result.success]).toEqual([200, true]);
    expect((await server.call(request)).text).toBe(text);
    server.gate('b').open();
    expect((await other).json.result.success).toBe(true);
    await closed;
    expect(server.runs.filter(({ input }) => input.tag === 'a')).toHaveLength(1);
  });

  test('OXP E7: aborts calls when the time is up, and the client hears of it', async () => {
    const server = await startToolServer({ limits: { drainMs: 50 } });
    const failed = rejection(
      connectOxp(server.url, { retry: { attempts: 1, pauseMs: 1, maxPauseMs: 1 } }).call('Slow.Wait', { tag: 'a' }),
    );
    await server.gate('a').reached;
    await server.server.close();
    expect(await failed).toMatchObject({ name: 'OxpToolError', developerMessage: 'Error: the server is stopping' });
  });

  test('OXP E7: a tool that throws when it is told to stop has not failed, and the log does not say so', async () => {
    const lines = logLines();
    const waiting = new Gate();
    const toolkits = [
      toolkit({ name: 'Slow', tools: { Hear: { run: (_input, { signal }) => waiting.pass(signal).then(() => '') } } }),
    ];
    const server = await startToolServer({ toolkits, logger: lines.logger, limits: { drainMs: 0 } });
    const cutOff = server.call({ tool_id: 'Slow.Hear', call_id: 'mine', input: {} });
    await waiting.reached;
    await server.server.close();
    expect((await cutOff).json.result.success).toBe(false);
    expect(linesOf(lines, "tool 'Slow_Hear' was aborted")).toMatchObject([{ level: 30, callId: 'mine' }]);
    expect(linesOf(lines, "tool 'Slow_Hear' failed")).toEqual([]);
  });

  test('both protocols begin to stop at once, and wait for each other', async () => {
    const { environments, tool } = gated();
    const server = await startToolServer({ environments, limits: { drainMs } });
    const { create, post } = client(server.url);
    const sid = await create();
    const stream = openCall(server, { sid, name: 'wait', env: 'gated' });
    await stream.taskId();
    const running = server.call({ tool_id: 'Slow.Wait', input: { tag: 'a' } });
    await server.gate('a').reached;
    const closed = server.server.close();
    await eventually(async () => expect((await server.get('/health')).status).toBe(503));
    expect((await post('/create', { split: 'train', index: 0 }, { sid: 'late' })).status).toBe(503);
    tool.open();
    expect((await stream.ended).at(-1)?.event).toBe('end');
    server.gate('a').open();
    expect((await running).json.result.success).toBe(true);
    await closed;
  });
});

test('faces in an app of somebody else let calls end when the app closes', async () => {
  const { environments, tool, trace } = gated();
  const tools = toolFixture();
  const app = Fastify({ pluginTimeout: 0 });
  onTestFinished(() => app.close());
  app.register(ors, { prefix: '/ors', environments, limits: { drainMs } });
  app.register(oxp, { prefix: '/oxp', toolkits: tools.toolkits, limits: { drainMs } });
  const url = await app.listen();
  const { create } = client(`${url}/ors`);
  const stream = openCall({ url: `${url}/ors` }, { sid: await create(), name: 'wait', env: 'gated' });
  await stream.taskId();
  const body = { request: { tool_id: 'Slow.Wait', input: { tag: 'a' } } };
  const running = client(`${url}/oxp`).post('/tools/call', body);
  await tools.gate('a').reached;
  const closed = app.close();
  await eventually(async () => expect((await client(`${url}/ors`).get('/health')).status).toBe(503));
  tool.open();
  tools.gate('a').open();
  expect((await stream.ended).at(-1)?.event).toBe('end');
  expect((await running).json.result.success).toBe(true);
  await closed;
  expect(trace.at(-1)).toBe('teardown:end');
});

describe('a tool that ignores its signal', () => {
  const warnings = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /ignore/.test(msg));

  test('is named in the log when its session ends, and again when it ends itself', async () => {
    const { logger, text } = logLines();
    const { server, sid, open, tool } = await startGated({ logger, limits: { graceMs: 20 } });
    const stream = open({ name: 'deaf' });
    await stream.taskId();
    await server.post('/delete', undefined, { sid });
    expect(warnings(text())).toEqual([
      expect.objectContaining({
        level: 40,
        sid,
        environment: 'gated',
        msg: "tool 'deaf' ignores its signal: still running 20 ms after it was told to stop",
        ranMs: expect.any(Number),
        ignoredMs: expect.any(Number),
      }),
    ]);
    tool.open();
    await eventually(() => expect(warnings(text())).toHaveLength(2));
    expect(warnings(text())[1]).toMatchObject({ sid, msg: "tool 'deaf' ignored its signal, but has ended now" });
  });

  test('is named in the log when its time is up, over either protocol', async () => {
    const { logger, text } = logLines();
    const { environments, tool } = gated();
    const toolkits = [toolkit({ name: 'Slow', tools: { Deaf: { run: () => tool.pass().then(() => '') } } })];
    const limits = { toolTimeoutMs: 20, graceMs: 20 };
    const server = await startToolServer({ toolkits, environments, logger, limits });
    const { create, call } = client(server.url);
    const sid = await create();
    const [, answer] = await Promise.all([
      server.call({ tool_id: 'Slow.Deaf', call_id: 'mine', input: {} }),
      call(sid, 'deaf', {}, { env: 'gated' }),
    ]);
    expect(answer.result).toMatchObject({ ok: false, reason: 'timeout' });
    await eventually(() => expect(warnings(text())).toHaveLength(2));
    tool.open();
    await eventually(() => expect(warnings(text())).toHaveLength(4));
    const told = warnings(text()).map(({ msg, sid, callId }) => [sid ?? callId, /^tool '\w+' \w+/.exec(msg)?.[0]]);
    expect(told).toEqual(
      expect.arrayContaining([
        [sid, "tool 'deaf' ignores"],
        [sid, "tool 'deaf' ignored"],
        ['mine', "tool 'Slow_Deaf' ignores"],
        ['mine', "tool 'Slow_Deaf' ignored"],
      ]),
    );
  });

  test('setup is named as well', async () => {
    const { logger, text } = logLines();
    const { server, setup } = await startGated({ logger, limits: { graceMs: 20 } });
    const sid = await server.create({ task_spec: { gates: ['setup'], deaf: true } });
    await server.post('/delete', undefined, { sid });
    expect(warnings(text())).toEqual([expect.objectContaining({ sid, msg: expect.stringMatching(/^setup ignores/) })]);
    setup.open();
    await eventually(() => expect(warnings(text())).toHaveLength(2));
  });
});

test('an idle connection does not hold up a stopping server', async () => {
  const { server } = await startGated({ limits: { drainMs, closeMs: drainMs } });
  await server.get('/health');
  const accepted = once(server.server.app.server, 'close');
  await server.server.close();
  await accepted;
});

test.each([
  [
    10_000,
    ['stopping may take 45000 ms, but this app gives up after 10000. Create it with Fastify({ pluginTimeout: 0 })'],
  ],
  [0, []],
  [60_000, []],
])('a face says at start if an app with pluginTimeout %i would not wait for it', async (pluginTimeout, expected) => {
  const { logger, text } = logLines();
  const app = Fastify({ pluginTimeout, logger });
  onTestFinished(() => app.close());
  app.register(ors, { environments: gated().environments });
  await app.ready();
  const lines = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual(expected);
});
