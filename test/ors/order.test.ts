import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectError } from '../support/errors.ts';
import { Gate, startGated } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { type SseEvent, toResult } from '../support/sse.ts';
import { type StageTool, startStage } from '../support/stage.ts';
import { openCall } from '../support/stream.ts';

/** The text of a result. */
function textOf(events: readonly SseEvent[]): string {
  return toResult(events)?.output.blocks[0].text;
}

const FINISHED = { ok: false, error: expect.stringMatching(/episode is finished/), reason: 'episode_finished' };

test.each(['node', 'ors-sdk/0.1.0'])('C25: after the end of the episode no call of %s runs', async (userAgent) => {
  const { create, call, counters } = await startServer();
  const sid = await create();
  const headers = { 'user-agent': userAgent };
  expect((await call(sid, 'submit', { answer: '0' })).result?.output.finished).toBe(true);
  for (const [name, input] of Object.entries({ submit: { answer: '0' }, noargs: {}, parallel: { ms: 0 } })) {
    const { status, result } = await call(sid, name, input, { headers });
    expect(status).toBe(200);
    expect(result).toEqual(FINISHED);
  }
  expect(counters.runs).toEqual({ submit: 1 });
});

test('C25: after the end of the episode all else works: reads, pings, reconnects and /delete', async () => {
  const { create, call, get, post, counters } = await startServer();
  const sid = await create();
  const { taskId, result } = await call(sid, 'submit', { answer: '0' });
  await call(sid, 'noargs');
  for (const read of ['prompt', 'task_tools']) expect((await get(`/math/${read}`, { sid })).status).toBe(200);
  expect((await post('/ping', undefined, { sid })).status).toBe(200);
  expect((await call(sid, 'submit', { answer: '0' }, { taskId: taskId ?? '' })).result).toEqual(result);
  expect((await post('/delete', undefined, { sid })).status).toBe(200);
  expect(counters.runs).toEqual({ submit: 1 });
});

test('C25: a server can let calls run after the end of the episode', async () => {
  const { create, call } = await startServer({ sessions: { callsAfterFinish: 'allow' } });
  const sid = await create();
  for (let time = 0; time < 2; time += 1) {
    expect((await call(sid, 'submit', { answer: '0' })).result?.output.finished).toBe(true);
  }
});

test('C26: same-tool calls run one at a time in arrival order', async () => {
  const { open, gate, trace } = await startStage();
  const tags = ['a', 'b', 'c'];
  const calls = [];
  for (const tag of tags) {
    const call = open('one', tag);
    await call.taskId();
    calls.push(call);
  }
  expect(trace).toEqual(['one a']);
  // The later gates are open first, so that only the order of arrival holds the calls back.
  for (const tag of ['c', 'b', 'a']) gate(tag).open();
  expect((await Promise.all(calls.map(({ ended }) => ended))).map(textOf)).toEqual(tags);
  expect(trace).toEqual(tags.flatMap((tag) => [`one ${tag}`, `one ${tag} ends`]));
});

test.each<[what: string, first: StageTool, second: StageTool]>([
  ['different tools', 'one', 'other'],
  ['calls of a concurrent tool', 'together', 'together'],
])('C26: %s overlap', async (_what, first, second) => {
  const { open, gate, trace } = await startStage();
  const slow = open(first, 'a');
  await gate('a').reached;
  gate('b').open();
  expect(textOf(await open(second, 'b').ended)).toBe('b');
  expect(trace).toEqual([`${first} a`, `${second} b`, `${second} b ends`]);
  gate('a').open();
  expect(textOf(await slow.ended)).toBe('a');
});

test('C26: calls that wait when the episode ends are refused unrun, of whichever tool they are', async () => {
  const { open, gate, trace } = await startStage();
  const running = open('one', 'a');
  await running.taskId();
  const paid = open('finish', 'b');
  await paid.taskId();
  const waiting = [open('one', 'c'), open('finish', 'd')];
  for (const call of waiting) await call.taskId();
  gate('b').open();
  expect(toResult(await paid.ended)).toMatchObject({ ok: true, output: { reward: 1, finished: true } });
  gate('a').open();
  expect(textOf(await running.ended)).toBe('a');
  for (const { ended } of waiting) expect(toResult(await ended)).toEqual(FINISHED);
  expect(trace).toEqual(['one a', 'finish b', 'finish b ends', 'one a ends']);
});

test('C26: a call that throws lets the next one in', async () => {
  const { open, gate } = await startStage();
  const calls = [open('throw', 'a'), open('throw', 'b')];
  for (const tag of ['a', 'b']) gate(tag).open();
  for (const { ended } of calls) expect((await ended).map(({ event }) => event)).toEqual(['task_id', 'error']);
});

test('C26: a call whose input takes long to check is not overtaken', async () => {
  const checks = { first: new Gate(), second: new Gate() };
  const order: string[] = [];
  const check = async (tag: 'first' | 'second') => checks[tag].pass().then(() => true);
  const look = {
    input: z.object({ tag: z.enum(['first', 'second']).refine(check) }),
    run: ({ tag }: { tag: string }) => order.push(tag),
  };
  const { create, call } = await startServer({ environments: [minimal({ tools: { look } })] });
  const sid = await create();
  const send = (name: string, tag: string) => call(sid, name, { tag }, { env: 'minimal' });
  const first = send('look', 'first');
  await checks.first.reached;
  checks.second.open();
  const second = send('look', 'second');
  await checks.second.reached;
  // A round trip, so that a call that overtook would have run by now.
  await send('nope', '');
  expect(order).toEqual([]);
  checks.first.open();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

test('C27: calls in different sessions do not wait for each other', async () => {
  const { open, gate, server, trace } = await startStage();
  const slow = open('one', 'a');
  await gate('a').reached;
  gate('b').open();
  expect(textOf(await open('one', 'b', { sid: await server.create() }).ended)).toBe('b');
  expect(trace).not.toContain('one a ends');
  gate('a').open();
  expect(textOf(await slow.ended)).toBe('a');
});

test('C28: calls that come during setup wait for it and then run once, in arrival order', async () => {
  const trace: string[] = [];
  const setup = new Gate();
  const look = { input: z.object({ tag: z.string() }), run: ({ tag }: { tag: string }) => trace.push(tag) };
  const env = minimal({ setup: () => setup.pass().then(() => void trace.push('setup')), tools: { look } });
  const server = await startServer({ environments: [env] });
  const sid = await server.create();
  const calls = [];
  for (const tag of ['first', 'second']) {
    const arrived = arrival(server);
    calls.push(server.call(sid, 'look', { tag }, { env: 'minimal' }));
    await arrived;
  }
  expect(trace).toEqual([]);
  setup.open();
  for (const { result } of await Promise.all(calls)) expect(result?.ok).toBe(true);
  expect(trace).toEqual(['setup', 'first', 'second']);
});

test('C29: a call that waits long for setup gets its id and signs of life, and then its result', async () => {
  const { server, setup, tool, open, count } = await startGated({ announceAfterMs: 10, pingMs: 10 });
  const sid = await server.create({ task_spec: { gates: ['setup'] } });
  const call = open({ sid });
  const taskId = await call.taskId();
  await call.until(({ text }) => text.split(': ping').length > 2);
  expect(count('wait')).toBe(0);
  const again = open({ sid, taskId });
  expect(await again.taskId()).toBe(taskId);
  setup.open();
  tool.open();
  for (const { ended } of [call, again]) expect(textOf(await ended)).toBe('waited');
  expect(count('wait')).toBe(1);
});

/** A server whose setup waits at a gate, and fails if the task says so. */
async function startWithSetup(announceAfterMs: number) {
  const gate = new Gate();
  const setup = async ({ task }: { task: { fail?: string } }) => {
    await gate.pass();
    if (task.fail !== undefined) throw new Error(task.fail);
  };
  return { gate, server: await startServer({ environments: [minimal({ setup })], announceAfterMs }) };
}

test('C29: a call that does not wait long hears of a failed setup by status', async () => {
  const { gate, server } = await startWithSetup(29_000);
  const sid = await server.create({ task_spec: { fail: 'no disk left' } });
  const arrived = arrival(server);
  const calling = server.call(sid, 'look', {}, { env: 'minimal' });
  await arrived;
  gate.open();
  expectError(await calling, 500, /^Error: no disk left$/);
});

test.each<[what: string, task: object, name: string, last: object]>([
  [
    'a failed setup is an error event',
    { fail: 'no disk left' },
    'look',
    { event: 'error', data: 'Error: no disk left' },
  ],
  ['an unknown tool is a result', {}, 'nope', { event: 'end', data: expect.stringContaining('"ok":false') }],
])('C29: once the stream has begun, %s', async (_what, task_spec, name, last) => {
  const { gate, server } = await startWithSetup(1);
  const call = openCall(server, { sid: await server.create({ task_spec }), name, env: 'minimal' });
  const taskId = await call.taskId();
  gate.open();
  expect(await call.ended).toEqual([{ event: 'task_id', data: taskId }, last]);
});

test('C31: a client that goes away does not cancel its call, and can come back for the result', async () => {
  const { server, tool, open, trace } = await startGated();
  const connected = once(server.server.app.server, 'connection');
  const call = open({ input: { text: 'kept' } });
  const taskId = await call.taskId();
  const [socket] = await connected;
  await tool.reached;
  call.drop();
  await once(socket, 'close');
  tool.open();
  expect(textOf(await open({ taskId }).ended)).toBe('kept');
  expect(trace).toEqual(['setup', 'wait', 'wait:end']);
});

/** Resolves when the next request has arrived with its body, and its handler has seen it. */
async function arrival({ server }: TestServer): Promise<void> {
  const [request] = (await once(server.app.server, 'request')) as [IncomingMessage];
  await expect.poll(() => request.complete).toBe(true);
}
