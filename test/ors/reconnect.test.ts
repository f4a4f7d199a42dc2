import { describe, expect, test } from 'vitest';
import { eventually, MINUTE, SECOND, stopClock } from '../support/clock.ts';
import { startGated } from '../support/gates.ts';
import { shareServer, startServer } from '../support/http.ts';
import { liveBytes, MEGABYTE } from '../support/memory.ts';
import { toResult } from '../support/sse.ts';
import { openCall } from '../support/stream.ts';

const server = shareServer();

const NEVER_ISSUED = '0123456789abcdef0123456789abcdef';

describe('the id of a call', () => {
  test('R1: the server makes one of 32 hex characters for every call', async () => {
    const sid = await server().create();
    const calls = await Promise.all(Array.from({ length: 50 }, () => server().call(sid, 'noargs')));
    const ids = calls.map(({ taskId }) => taskId);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id ?? ''))).toBe(true);
    expect(new Set(ids).size).toBe(50);
  });

  test.each([
    ['a number', 5],
    ['empty', ''],
    ['an object', {}],
    ['a boolean', true],
    ['too long', 'x'.repeat(257)],
    ['a blank', ' '],
    ['two words', 'call 001'],
    ['two lines', 'call\nevent: end'],
  ])('R12: a task_id that is %s is refused', async (_what, taskId) => {
    const sid = await server().create();
    const body = { name: 'noargs', input: {}, task_id: taskId };
    const { status, json } = await server().post('/math/call', body, { sid });
    expect(status).toBe(400);
    expect(json.detail).toContain('task_id');
  });

  test.each([
    ['of one character', 'x'],
    ['of 256 characters', 'x'.repeat(256)],
    ['with signs', '!call/001:~"\\'],
  ])('R12: a task_id %s is taken', async (_what, taskId) => {
    expect((await server().call(await server().create(), 'noargs', {}, { taskId })).taskId).toBe(taskId);
  });

  test('R12: a task_id of null is none', async () => {
    const sid = await server().create();
    const { text } = await server().post('/math/call', { name: 'noargs', input: {}, task_id: null }, { sid });
    expect(text).toMatch(/^event: task_id\ndata: [0-9a-f]{32}\n\n/);
  });
});

describe('coming back to a running call', () => {
  test('R2: the id of a running call attaches to it, and the tool does not run again', async () => {
    const { open, tool, count } = await startGated();
    const first = open();
    const taskId = await first.taskId();
    const second = open({ taskId });
    expect(await second.taskId()).toBe(taskId);
    tool.open();
    expect(await second.ended).toEqual(await first.ended);
    expect(toResult(second.events)?.output.blocks[0].text).toBe('waited');
    expect(count('wait')).toBe(1);
  });

  test('R2: a client whose connection broke comes back and gets the result all the same', async () => {
    const { open, tool, count, server } = await startGated();
    const broken = new Promise((resolve) => {
      server.server.app.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const first = open();
    const taskId = await first.taskId();
    first.drop();
    await broken;
    const second = open({ taskId });
    await second.taskId();
    tool.open();
    expect(toResult(await second.ended)?.ok).toBe(true);
    expect(count('wait')).toBe(1);
  });

  test('R6: a client that broke off before it heard of its own id comes back with it', async () => {
    const { open, tool, count } = await startGated();
    const first = open({ taskId: 'mine' });
    await tool.reached;
    first.drop();
    const second = open({ taskId: 'mine' });
    await second.taskId();
    tool.open();
    expect(toResult(await second.ended)?.ok).toBe(true);
    expect(count('wait')).toBe(1);
  });

  test('R9: every connection gets the full result from the start, whenever it came', async () => {
    const { open, tool, count } = await startGated();
    const text = 'a long answer '.repeat(20_000);
    const first = open({ input: { text } });
    const taskId = await first.taskId();
    const second = open({ taskId });
    await second.taskId();
    tool.open();
    const third = open({ taskId });
    const [whole, ...others] = await Promise.all([first.ended, second.ended, third.ended, open({ taskId }).ended]);
    expect(toResult(whole)?.output.blocks[0].text === text).toBe(true);
    for (const other of others) expect(other).toEqual(whole);
    expect(count('wait')).toBe(1);
  });

  test('R8: a call that fails later fails for all of its connections', async () => {
    const { open, tool, count } = await startGated();
    const first = open({ name: 'fail' });
    const second = open({ name: 'fail', taskId: await first.taskId() });
    await second.taskId();
    tool.open();
    expect((await second.ended).at(-1)).toEqual({ event: 'error', data: 'Error: it broke' });
    expect(await first.ended).toEqual(await second.ended);
    expect(count('fail')).toBe(1);
  });
});

describe('coming back to a call that has ended', () => {
  test.each([
    ['R3', 'noargs', {}],
    ['R3', 'fail', {}],
    ['R3', 'big', { n: 100_000, ch: ' ' }],
    ['R8', 'boom', {}],
  ])('%s: the outcome of `%s` %j is told again as it was, and the tool not run again', async (_id, name, input) => {
    const { call, create, counters } = await startServer();
    const sid = await create();
    const first = await call(sid, name, input);
    const again = await call(sid, name, input, { taskId: first.taskId ?? '' });
    expect(again.events).toEqual(first.events);
    expect(counters.runs[name]).toBe(1);
  });

  test('R3: a result that was cut off in the middle comes whole the second time', async () => {
    const sid = await server().create();
    const first = openCall(server(), { sid, name: 'big', input: { n: 5_000_000, ch: 'x' } });
    await first.until(({ events }) => events.some(({ event }) => event === 'chunk'));
    const [{ data: taskId = '' } = {}] = first.events;
    first.drop();
    const { result } = await server().call(sid, 'big', { n: 1, ch: 'y' }, { taskId });
    expect(result?.output.blocks[0].text === 'x'.repeat(5_000_000)).toBe(true);
  });

  test('R7: the name and the input of the first call win', async () => {
    const { call, create, counters } = await startServer();
    const sid = await create();
    const first = await call(sid, 'echo', { value: 'first' });
    const taskId = first.taskId ?? '';
    expect((await call(sid, 'echo', { value: 'second' }, { taskId })).events).toEqual(first.events);
    expect((await call(sid, 'boom', {}, { taskId })).events).toEqual(first.events);
    expect((await call(sid, 'no_such_tool', {}, { taskId })).events).toEqual(first.events);
    expect(counters.runs).toEqual({ echo: 1 });
  });

  test.each([
    ['R4', 'the server made', undefined],
    ['R6', 'the client chose', 'call-001'],
  ])('%s: an id that %s is unknown when its time is over, and nothing runs', async (_id, _who, chosen) => {
    const clock = stopClock();
    const { call, create, counters } = await startServer();
    const sid = await create();
    const { taskId = '' } = await call(sid, 'noargs', {}, chosen === undefined ? {} : { taskId: chosen });
    // At once, and after the server has freed the result.
    for (const ms of [MINUTE + 1, MINUTE]) {
      await clock.pass(ms);
      const late = await call(sid, 'noargs', {}, { taskId });
      expect(late.status).toBe(200);
      expect(late.events).toEqual([{ event: 'error', data: 'unknown task_id' }]);
    }
    expect(counters.runs.noargs).toBe(1);
  });

  test('R13: a result is kept for 60 s from the end of the call', async () => {
    const clock = stopClock();
    const { open, tool } = await startGated();
    const first = open();
    const taskId = await first.taskId();
    await clock.pass(5 * MINUTE);
    tool.open();
    await first.ended;
    await clock.pass(59 * SECOND);
    expect(toResult(await open({ taskId }).ended)?.ok).toBe(true);
    await clock.pass(2 * SECOND);
    expect(await open({ taskId }).ended).toEqual([{ event: 'error', data: 'unknown task_id' }]);
  });

  test('R13: how long results are kept can be chosen', async () => {
    const { call, create } = await startServer({ limits: { lingerMs: 20 } });
    const sid = await create();
    const { taskId = '' } = await call(sid, 'noargs');
    await eventually(async () => {
      expect((await call(sid, 'noargs', {}, { taskId })).error).toBe('unknown task_id');
    });
  });
});

describe('ids that nobody knows', () => {
  test('R5: an id in the form of the server, never issued, is an error and runs nothing', async () => {
    const { call, create, counters } = await startServer();
    const unknown = await call(await create(), 'noargs', {}, { taskId: NEVER_ISSUED });
    expect(unknown.status).toBe(200);
    expect(unknown.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(unknown.events).toEqual([{ event: 'error', data: 'unknown task_id' }]);
    expect(counters.runs).toEqual({});
  });

  test('R6: a new id of the client starts a call, a repeat attaches to it', async () => {
    const { call, create, counters } = await startServer();
    const sid = await create();
    const first = await call(sid, 'noargs', {}, { taskId: 'call-001' });
    expect(first.taskId).toBe('call-001');
    expect((await call(sid, 'noargs', {}, { taskId: 'call-001' })).events).toEqual(first.events);
    expect(counters.runs.noargs).toBe(1);
    expect((await call(sid, 'noargs', {}, { taskId: 'call-002' })).taskId).toBe('call-002');
    expect(counters.runs.noargs).toBe(2);
  });

  test('R6: two first calls with one id at the same time run once', async () => {
    const { call, create, counters } = await startServer();
    const sid = await create({ task_spec: { setup_ms: 50 } });
    const calls = await Promise.all([1, 2, 3].map(() => call(sid, 'noargs', {}, { taskId: 'call-001' })));
    expect(calls.map(({ result }) => result?.ok)).toEqual([true, true, true]);
    expect(counters.runs.noargs).toBe(1);
  });

  test('R6: an id whose call was refused by status can be used again', async () => {
    const { call, create } = await startServer();
    const sid = await create();
    expect((await call(sid, 'submit', { answer: 5 }, { taskId: 'call-001' })).status).toBe(400);
    expect((await call(sid, 'submit', { answer: '0' }, { taskId: 'call-001' })).result?.ok).toBe(true);
  });

  test('R6: a server can be told to take no ids of clients', async () => {
    const { call, create, counters } = await startServer({ sessions: { clientTaskIds: 'refuse' } });
    const { error } = await call(await create(), 'noargs', {}, { taskId: 'call-001' });
    expect(error).toBe('unknown task_id');
    expect(counters.runs).toEqual({});
  });

  test('R10: the id of another session is unknown', async () => {
    const { call, create, counters } = await startServer();
    const { taskId = '' } = await call(await create(), 'noargs');
    const other = await call(await create(), 'noargs', {}, { taskId });
    expect(other.events).toEqual([{ event: 'error', data: 'unknown task_id' }]);
    expect(counters.runs.noargs).toBe(1);
  });

  test('R10: two sessions may choose the same id for different calls', async () => {
    const [one, two] = await Promise.all([server().create(), server().create()]);
    const [first, second] = await Promise.all([
      server().call(one, 'echo', { value: 'one' }, { taskId: 'same' }),
      server().call(two, 'echo', { value: 'two' }, { taskId: 'same' }),
    ]);
    expect(first.result?.output.blocks[0].text).toBe('one');
    expect(second.result?.output.blocks[0].text).toBe('two');
  });
});

describe('after the session', () => {
  test('R11: coming back after /delete is 410', async () => {
    const sid = await server().create();
    const { taskId = '' } = await server().call(sid, 'noargs');
    await server().post('/delete', undefined, { sid });
    expect((await server().call(sid, 'noargs', {}, { taskId })).status).toBe(410);
  });

  test('R11: /delete frees the results that were kept', async () => {
    const { url, create, post } = await startServer();
    const sid = await create();
    const before = await liveBytes();
    await callUnread(url, sid);
    expect((await liveBytes()) - before).toBeGreaterThan(15 * MEGABYTE);
    await post('/delete', undefined, { sid });
    await eventually(async () => expect((await liveBytes()) - before).toBeLessThan(5 * MEGABYTE));
  });
});

/** A call with a result of 20 MB that this process, which is also the server's, does not keep. */
async function callUnread(url: string, sid: string): Promise<void> {
  const response = await fetch(`${url}/math/call`, {
    method: 'POST',
    headers: { 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'big', input: { n: 20 * MEGABYTE, ch: 'x' } }),
  });
  await response.body?.pipeTo(new WritableStream());
}
