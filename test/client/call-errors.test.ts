import {
  AuthError,
  HttpError,
  NetworkError,
  OutcomeUnknown,
  SessionTerminated,
  ToolCallError,
  ToolFailed,
} from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import { json, SERVER_ID, SID, startForeign, stream } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

test.each([
  ['http', 'nope', {}, { reason: 'not_found', status: 404, code: 'unknown_tool' }, "'nope' is not a valid tool"],
  ['envelope', 'nope', {}, { reason: 'not_found', status: undefined }, "'nope' is not a valid tool"],
  ['http', 'submit', {}, { reason: 'input_validation', status: 400, code: 'invalid_input' }, 'answer'],
  ['envelope', 'submit', {}, { reason: 'input_validation', status: undefined }, 'answer'],
  ['http', 'fail', {}, { reason: 'tool_error' }, "Tool 'fail' failed: the file is not there"],
  ['envelope', 'fail', {}, { reason: 'tool_error' }, "Tool 'fail' failed: the file is not there"],
] as const)('K10: told by %s, a call of %s with %j is a ToolCallError', async (toolErrors, name, input, what, text) => {
  const server = await startServer({ toolErrors });
  const session = await openSession(server);
  const error = await rejection(session.call(name, input));
  expect(error).toBeInstanceOf(ToolCallError);
  expect(error).toMatchObject({ ...what, sid: session.sid, taskId: expect.stringMatching(/^call-/) });
  expect(error.message).toContain(text);
  expect(await session.call('noargs')).toMatchObject({ text: 'nothing needed' });
});

test.each([
  ["'x' is not a valid tool", 'not_found'],
  ['Tool input validation error: 1 validation error for Params', 'input_validation'],
  ["Tool name collision: 'add' is in two toolsets", 'name_collision'],
  ['the disk is full', 'tool_error'],
])('K10: of an official server, “%s” is %s', async (text, reason) => {
  const answer = stream(['task_id', SERVER_ID], ['end', JSON.stringify({ ok: false, error: text })]);
  const server = await startForeign({ 'POST /math/call': answer });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toBeInstanceOf(ToolCallError);
  expect(error).toMatchObject({ message: text, reason, sid: SID, taskId: SERVER_ID });
});

test.each([
  ['an array', []],
  ['a string', '{}'],
  ['null', null],
  ['a number', 5],
])('K10: %s as the input of a tool is refused before anything is sent', async (_name, input) => {
  const server = await startForeign();
  const session = await openSession(server);
  const error = await rejection(session.call('add', input as never));
  expect(error).toBeInstanceOf(ToolCallError);
  expect(error.reason).toBe('bad_input_shape');
  expect(server.on('/math/call')).toHaveLength(0);
});

test('K10: a call after the end of the episode is a ToolCallError', async () => {
  const session = await openSession(await startServer());
  expect(await session.call('submit', { answer: '0' })).toMatchObject({ reward: 1, finished: true });
  expect(await rejection(session.call('noargs'))).toMatchObject({ name: 'ToolCallError', reason: 'episode_finished' });
});

test('K10: a missing or wrong API key is an AuthError', async () => {
  const server = await startServer({ auth: { apiKeys: ['right'] } });
  const error = await rejection(quickClient(server, { apiKey: 'wrong' }).session({ split: 'train', index: 0 }));
  expect(error).toBeInstanceOf(AuthError);
  expect(error).toMatchObject({ status: 401, code: 'unauthorized', detail: expect.stringContaining('X-API-Key') });
});

test('K10: any other status is an HttpError with status and detail', async () => {
  const server = await startForeign({ 'POST /math/call': json({ detail: 'no credits' }, 402) });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ status: 402, detail: 'no credits', sid: SID });
});

test('K11: a tool that breaks is ToolFailed, and the session goes on', async () => {
  const session = await openSession(await startServer());
  const error = await rejection(session.call('boom', { message: 'it broke' }));
  expect(error).toBeInstanceOf(ToolFailed);
  expect(error).toMatchObject({ sid: session.sid, taskId: expect.stringMatching(/^call-/) });
  expect(error.message).toContain('it broke');
  expect(await session.call('noargs')).toMatchObject({ text: 'nothing needed' });
});

test('K11: a tool that breaks without a word is ToolFailed all the same', async () => {
  const server = await startForeign({ 'POST /math/call': stream(['task_id', SERVER_ID], ['error', '']) });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toBeInstanceOf(ToolFailed);
  expect(error.message).toBe('the tool failed without a message');
});

test('K11: a session that ends while a call runs is SessionTerminated, with the reason', async () => {
  const server = await startServer();
  const session = await openSession(server);
  const running = rejection(session.call('slow', { ms: 10_000 }));
  await eventually(() => expect(server.counters.runs.slow).toBe(1));
  await server.server.close();
  const error = await running;
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ status: 410, code: 'session_gone', sid: session.sid });
  const words = `session '${session.sid}' ended because the server is stopping. Create a new one`;
  expect(error.message).toBe(`the session is over: ${words}`);
});

test('K11: a deleted session is SessionTerminated, and later calls fail without a request', async () => {
  const server = await startServer();
  const session = await openSession(server);
  await server.post('/delete', undefined, { sid: session.sid });
  const error = await rejection(session.call('noargs'));
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ status: 410, code: 'session_gone', sid: session.sid });
  expect(error.message).toBe(`the session is over: session '${session.sid}' was deleted. Create a new one`);

  let requests = 0;
  server.server.app.server.on('request', () => {
    requests += 1;
  });
  for (const later of [session.call('noargs'), session.prompt(), session.tools()]) {
    expect(await rejection(later)).toBe(error);
  }
  await session.close();
  expect(requests).toBe(0);
});

test.each([
  ['this server', { detail: "no session 'x'", code: 'session_not_found' }],
  ['the official server', { detail: 'Active environment not found' }],
])('K11: a session that %s does not know (404) is SessionTerminated, in its words', async (_name, body) => {
  const session = await openSession(await startForeign({ 'POST /math/call': json(body, 404) }));
  const error = await rejection(session.call('add'));
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error.message).toBe(`the session is over: ${body.detail}`);
  expect(await rejection(session.prompt())).toBeInstanceOf(SessionTerminated);
});

test('K11: a 404 that does not speak of the session leaves it alone', async () => {
  const session = await openSession(await startForeign({ 'POST /math/call': json({ detail: 'Not Found' }, 404) }));
  expect(await rejection(session.call('add'))).toMatchObject({ name: 'HttpError', status: 404 });
  expect(await session.prompt()).toMatchObject([{ text: 'Add.' }]);
});

test('K12: an array of problems, as FastAPI sends it, is made readable', async () => {
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'foo'], msg: 'Extra inputs are not permitted', input: 1 },
    { type: 'missing', loc: ['body', 'name'], msg: 'Field required' },
    'a mere string',
    { odd: true },
  ];
  const server = await startForeign({ 'POST /math/call': json({ detail }, 422) });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toMatchObject({
    status: 422,
    detail: 'body.foo: Extra inputs are not permitted; body.name: Field required; a mere string; {"odd":true}',
  });
});

test.each([
  ['a string', JSON.stringify({ detail: 'why' }), 'why'],
  ['an object', JSON.stringify({ detail: { why: 'so' } }), '{"why":"so"}'],
  ['nothing', JSON.stringify({ error: 'why' }), '{"error":"why"}'],
  ['an array for a body', '["why"]', '["why"]'],
  ['the page of a proxy', '<html>Bad Gateway</html>', '<html>Bad Gateway</html>'],
  ['an empty body', '', "I'm a Teapot"],
])('K12: a detail that is %s is always text', async (_name, body, detail) => {
  const server = await startForeign({ 'GET /list_environments': ({ response }) => response.writeHead(418).end(body) });
  expect(await rejection(quickClient(server).environments())).toMatchObject({ status: 418, detail });
});

const blocks = [{ text: 'paid', detail: null, type: 'text' }];
const ok = (output: object) => JSON.stringify({ ok: true, output: { blocks, ...output } });

test.each([
  ['{"ok":tr', 'that is not JSON: {"ok":tr'],
  ['null', 'that is not an object: null'],
  ['[]', 'that is not an object: []'],
  ['{"ok":true}', 'without output: {"ok":true}'],
  ['{"ok":true,"output":null}', 'without output: {"ok":true,"output":null}'],
  ['{"ok":true,"output":{}}', 'without blocks: {}'],
  ['{"ok":true,"output":{"blocks":[null]}}', 'with a block that cannot be read: null'],
  ['{"ok":true,"output":{"blocks":[{"type":"text"}]}}', 'with a block that cannot be read: {"type":"text"}'],
  [ok({ blocks: [{ type: 'image', data: 5 }] }), 'with a block that cannot be read: {"type":"image","data":5}'],
  ['{"ok":1,"error":"no"}', 'that is neither ok nor an error: {"ok":1,"error":"no"}'],
  ['{"ok":false,"error":"no","reason":{}}', 'whose reason is {}, not a string'],
  ['{"ok":false}', 'that is neither ok nor an error: {"ok":false}'],
  [ok({ reward: '1', finished: 'yes' }), 'whose reward is "1", not a finite number or null'],
  [ok({ reward: true }), 'whose reward is true, not a finite number or null'],
  [ok({}).replace('}}', ',"reward":1e999}}'), 'whose reward is Infinity, not a finite number or null'],
  [ok({ reward: 1, finished: 'yes' }), 'whose finished is "yes", not true or false'],
  [ok({ reward: 1, finished: 1 }), 'whose finished is 1, not true or false'],
  [ok({ reward: 1, metadata: ['a'] }), 'whose metadata is ["a"], not an object or null'],
])('the result %s is an error that says what is wrong, and the call is not repeated', async (data, problem) => {
  const server = await startForeign({ 'POST /math/call': stream(['task_id', SERVER_ID], ['end', data]) });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toMatchObject({ name: 'ClientError', sid: SID, taskId: SERVER_ID, outcome: undefined });
  expect(error.message).toBe(`the server sent a result ${problem}`);
  // So that programs can tell a reward that cannot be used from all else.
  expect(error.code).toBe(problem.startsWith('whose reward') ? 'invalid_reward' : undefined);
  expect(server.on('/math/call')).toHaveLength(1);
});

test.each([
  ['left out', {}, {}],
  ['null', { reward: null, finished: null, metadata: null }, {}],
  ['0', { reward: 0, finished: false, metadata: {} }, { reward: 0, metadata: {} }],
  ['there', { reward: -0.5, finished: true, metadata: { a: 1 } }, { reward: -0.5, finished: true, metadata: { a: 1 } }],
  ['of a later standard', { reward: 1, rating: 5 }, { reward: 1 }],
])('a result in which what is optional is %s is taken', async (_how, output, expected) => {
  const server = await startForeign({ 'POST /math/call': stream(['task_id', SERVER_ID], ['end', ok(output)]) });
  expect(await (await openSession(server)).call('add')).toEqual({
    blocks,
    text: 'paid',
    reward: null,
    finished: false,
    metadata: null,
    taskId: SERVER_ID,
    outcome: 'returned',
    ...expected,
  });
});

test('a block of a kind that the client does not know is handed on as it is', async () => {
  const sound = { type: 'audio', data: 'aGk=' };
  const answer = stream(['task_id', SERVER_ID], ['end', ok({ blocks: [...blocks, sound] })]);
  const session = await openSession(await startForeign({ 'POST /math/call': answer }));
  expect(await session.call('add')).toMatchObject({ text: 'paid', blocks: [...blocks, sound] });
});

test('a result that is no longer kept is OutcomeUnknown, and nothing is run again', async () => {
  const server = await startForeign({
    'POST /math/call': ({ count, ...exchange }) =>
      count === 1
        ? stream(['task_id', SERVER_ID])({ count, ...exchange })
        : stream(['error', 'unknown task_id'])({ count, ...exchange }),
  });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ sid: SID, taskId: SERVER_ID, message: expect.stringContaining('not run again') });
  expect(server.on('/math/call').map(({ body }) => body.task_id)).toEqual([undefined, SERVER_ID]);
});

test('errors of real failures survive JSON and cloning', async () => {
  const server = await startForeign({ 'POST /math/call': ({ response }) => response.destroy() });
  const session = await openSession(server);
  const error = await rejection(session.call('add'));
  expect(error.cause).toBeInstanceOf(NetworkError);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'OutcomeUnknown', sid: SID });
  expect(JSON.parse(JSON.stringify(error.cause))).toMatchObject({ name: 'NetworkError', code: 'UND_ERR_SOCKET' });
  expect(structuredClone(error)).toMatchObject({ message: error.message });
});
