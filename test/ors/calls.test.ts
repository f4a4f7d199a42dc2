import { SetupError } from 'tiltyard';
import { expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { expectRefusal, TELLING } from '../support/refusals.ts';
import { openCall } from '../support/stream.ts';

const server = shareServer();

/** Sends the body of a call as it is. */
async function sendCall(body: unknown, sid?: string) {
  return server().post('/math/call', body, { sid: sid ?? (await server().create()) });
}

test.each(['text/event-stream', 'application/json', '*/*', 'text/html, application/json;q=0.9'])(
  'C1: a call is answered with an event stream when the client accepts %s',
  async (accept) => {
    const { create, call } = server();
    const { status, headers, result } = await call(await create(), 'noargs', {}, { headers: { accept } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream\b/);
    expect(result?.ok).toBe(true);
  },
);

test('C1: a call is answered with an event stream when the client does not say what it accepts', async () => {
  const open = openCall(server(), { sid: await server().create(), name: 'noargs' });
  const { statusCode, headers } = await open.response;
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/event-stream\b/);
  expect((await open.ended).map(({ event }) => event)).toEqual(['task_id', 'end']);
});

test.each([
  ['noargs', {}],
  ['slow', { ms: 20 }],
  ['big', { n: 10_000, ch: 'x' }],
  ['boom', {}],
  ['fail', {}],
])('C2: the headers of a stream keep proxies from holding it back: %s', async (name, input) => {
  const { create, call } = server();
  const { headers } = await call(await create(), name, input, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('content-encoding')).toBeNull();
});

test.each([undefined, null, 5, true, [], {}, ''])('C6: a call whose name is %j is 400', async (name) => {
  expectError(await sendCall({ name, input: {} }), 400, /'name'/);
});

test.each([undefined, null, [], [1], 'text', 5, false])('C7: a call whose input is %j is 400', async (input) => {
  const before = server().counters.runs.noargs;
  expectError(await sendCall({ name: 'noargs', input }), 400, /'input' must be an object/);
  expect(server().counters.runs.noargs).toBe(before);
});

test.each(TELLING)('C8: with toolErrors %s, %s hears of an unknown tool %s', async (toolErrors, userAgent, told) => {
  const { create, call } = await startServer({ toolErrors });
  const sid = await create();
  const headers = { 'user-agent': userAgent };
  const refusal = { status: 404, reason: 'not_found', message: /^'submitt' is not a valid tool$/ } as const;
  expectRefusal(await call(sid, 'submitt', { answer: '0' }, { headers }), told, refusal);
  expect((await call(sid, 'submit', { answer: '0' }, { headers })).result?.output.reward).toBe(1);
});

test('C8: a client without a User-Agent hears of an unknown tool by status', async () => {
  const open = openCall(server(), { sid: await server().create(), name: 'submitt' });
  expect((await open.response).statusCode).toBe(404);
});

test('C8: a call refused by status leaves its task_id free for the next attempt', async () => {
  const { create, call } = server();
  const sid = await create();
  expectError(await call(sid, 'nope', {}, { taskId: 'mine' }), 404);
  expect(await call(sid, 'noargs', {}, { taskId: 'mine' })).toMatchObject({ taskId: 'mine', result: { ok: true } });
});

test.each(['code_env', 'nope'])('C17: a call at /%s in a session of math is 404, and nothing runs', async (env) => {
  const { create, call, counters } = await startServer();
  const sid = await create();
  expectError(await call(sid, 'noargs', {}, { env }), 404, /'math', not '\w+'/);
  expectError(await call(sid, 'run', {}, { env, headers: { 'user-agent': 'ors-sdk/0.1.0' } }), 404);
  expect(counters.runs).toEqual({});
});

test.each([
  ['math', 'MATH', 'noargs'],
  ['code_env', 'Code_Env', 'run'],
  ['code_env', 'CODE_ENV', 'run'],
])('C17: a session of %s takes calls at /%s', async (environment, env, tool) => {
  const { create, call } = server();
  const sid = await create({ env_name: environment, split: 'train', index: 0 });
  expect((await call(sid, tool, {}, { env })).result?.ok).toBe(true);
});

test('C18: a call is 404 for an unknown session, 410 for a deleted one, 400 without one', async () => {
  const { create, call, post } = server();
  expectError(await call('unknown', 'noargs'), 404, "no session 'unknown'");
  const sid = await create();
  await post('/delete', undefined, { sid });
  expectError(await call(sid, 'noargs'), 410, sid);
  const body = { name: 'noargs', input: {} };
  expectError(await post('/math/call', body), 400, /X-Session-ID/);
  expectError(await post('/math/call', body, { sid: '   ' }), 400, /X-Session-ID/);
});

test('C23: a task tool runs only in sessions whose task has it', async () => {
  const { create, call, counters } = await startServer();
  const without = await create({ task_spec: { task_tools: [] } });
  const having = await create({ task_spec: { task_tools: ['hint'] } });
  expectError(await call(without, 'hint'), 404, /^'hint' is not a valid tool$/);
  expect(counters.runs.hint).toBeUndefined();
  expect((await call(having, 'hint')).result?.ok).toBe(true);
  expectError(await call(without, 'hint'), 404);
});

test.each([
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'setup',
  'prompt',
  'teardown',
  'run',
  'SUBMIT',
  ' submit',
  'submit\n',
])('C24: %j is an unknown tool', async (name) => {
  const answer = await sendCall({ name, input: {} });
  expect(answer.json).toEqual({ detail: `'${name}' is not a valid tool`, code: 'unknown_tool' });
  expect(answer.status).toBe(404);
});

test.each(['node', 'ors-sdk/0.1.0'])('C30: after a failed setup a call by %s is 500 with the reason', async (agent) => {
  const { create, call, counters } = await startServer();
  const sid = await create({ task_spec: { setup_fail: 'no disk left' } });
  for (let time = 0; time < 2; time += 1) {
    const answer = await call(sid, 'noargs', {}, { headers: { 'user-agent': agent } });
    expectError(answer, 500, /^Error: no disk left$/);
  }
  expect(counters.runs).toEqual({});
});

test('C30: a status that setup chose reaches the call', async () => {
  const setup = () => {
    throw new SetupError('this task needs a key', { status: 403 });
  };
  const { create, call } = await startServer({ environments: [minimal({ setup })] });
  expectError(await call(await create(), 'look', {}, { env: 'minimal' }), 403, /^this task needs a key$/);
});
