import { describe, expect, test } from 'vitest';
import { eventually, SECOND, stopClock } from '../support/clock.ts';
import { CLIENTS, connectMcp } from './clients.ts';
import { PIXEL, REWARD } from './environments.ts';
import { modernRpc, rpc, textOfResult } from './rpc.ts';
import { startMcp } from './server.ts';

const UNKNOWN = { jsonrpc: '2.0', error: { message: expect.stringContaining('no episode at this address') } };

describe.each(CLIENTS)('a client of the SDK (%s)', (kind) => {
  test('M24, M5, M7, M8, M9: plays a whole episode at an address that it was handed, and hears nothing of rewards', async () => {
    const { open, get, post, trace } = await startMcp();
    const { sid, url } = await open();
    const client = await connectMcp(kind, url);
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    const { tools } = await client.listTools();
    const { json: overOrs } = await get('/quiz/task_tools', { sid });
    expect(tools.map(({ name, description }: any) => ({ name, description }))).toEqual(
      overOrs.tools.map(({ name, description }: any) => ({ name, description })),
    );
    const seen = await client.callTool({ name: 'look' });
    expect(seen.content).toEqual([
      { type: 'text', text: 'A pixel.' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ]);
    expect(seen.structuredContent).toBeUndefined();
    const last = await client.callTool({ name: 'submit', arguments: { answer: '42' } });
    expect(textOfResult(last)).toMatch(/^Right\.\nThe episode has ended\./);
    expect(Object.keys(last._meta ?? {}).filter((key) => key.startsWith('tiltyard/'))).toEqual([]);
    const late = await client.callTool({ name: 'submit', arguments: { answer: 'late' } });
    expect(late).toMatchObject({ isError: true });
    await post('/delete', undefined, { sid });
    const later = await client.callTool({ name: 'submit', arguments: { answer: 'later' } });
    expect(later.isError).toBe(true);
    expect(textOfResult(later)).toContain('stop here');
    expect(trace).toEqual(['submit 42', 'teardown']);
  });

  test('M24, M2, M6, M8: names an episode by itself, reads its task, and hears what a step has paid', async () => {
    const { own, trace } = await startMcp();
    const client = await connectMcp(kind, own('mine'));
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {} });
    expect(client.getInstructions()).toContain('What is 6 times 7?');
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'task' }]);
    const { messages } = await client.getPrompt({ name: 'task' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'What is 6 times 7?' } }]);
    const again = { name: 'submit', arguments: { answer: 'again' } };
    const paid = { 'tiltyard/reward': REWARD, 'tiltyard/finished': false, 'tiltyard/outcome': 'returned' };
    expect(await client.callTool(again)).toMatchObject({ _meta: paid });
    // The same id is the same episode, for whoever comes as the same identity.
    const other = await connectMcp(kind, own('mine'));
    expect(await other.callTool({ ...again, arguments: { answer: '42' } })).toMatchObject({
      _meta: { ...paid, 'tiltyard/finished': true },
    });
    expect(await client.callTool(again)).toMatchObject({
      isError: true,
      _meta: { 'tiltyard/reward': null, 'tiltyard/finished': true, 'tiltyard/outcome': 'tool_error' },
    });
    expect(trace).toEqual(['submit again', 'submit 42']);
  });

  test('M10: what goes wrong is an error for the model, in the words of ORS; an unknown tool is the client’s mistake', async () => {
    const { open, call } = await startMcp();
    const { sid, url } = await open();
    const client = await connectMcp(kind, url);
    for (const [name, input] of [
      ['submit', { answer: 5, more: true }],
      ['fail', {}],
      ['hang', {}],
      ['crash', {}],
    ] as const) {
      const told = await client.callTool({ name, arguments: input });
      expect(told.isError, name).toBe(true);
      const { result, error, json } = await call(sid, name, input, { env: 'quiz' });
      expect(textOfResult(told)).toBe((result as any)?.error ?? error ?? json.detail);
    }
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
  });
});

test('M1: an address has at least 128 bits that nobody can guess, is not the session id, and another one is 404', async () => {
  const { open, url, post } = await startMcp();
  const first = await open();
  const { json } = await post('/quiz/mcp', undefined, { sid: first.sid });
  expect(json).toEqual({ path: expect.stringMatching(/^\/mcp\/sessions\/[\w-]{40,}$/), token: expect.any(String) });
  expect(Buffer.from(json.token, 'base64url').length).toBeGreaterThanOrEqual(28);
  expect(json.path).not.toContain(first.sid);
  expect(json.token).not.toBe(first.token);
  for (const handle of [first.sid, 'x', `${first.token.slice(0, -4)}AAAA`, 'A'.repeat(first.token.length), '%00']) {
    const { status, json } = await rpc(`${url}/mcp/sessions/${handle}`, 'tools/list');
    expect(status, handle).toBe(404);
    expect(json).toMatchObject(UNKNOWN);
  }
  expect((await post('/quiz/mcp', undefined, { sid: 'unknown' })).status).toBe(404);
  expect((await post('/quiz/mcp', undefined)).status).toBe(400);
});

test('M1, M15: an address ends with its episode, also if its session id is used again', async () => {
  const { open, post } = await startMcp();
  const { sid, url } = await open();
  expect((await rpc(url, 'tools/list')).status).toBe(200);
  await post('/delete', undefined, { sid });
  for (const method of ['tools/list', 'initialize']) expect((await rpc(url, method)).status).toBe(404);
  expect((await post('/create', { env_name: 'quiz', split: 'train', index: 1 }, { sid })).status).toBe(200);
  expect((await rpc(url, 'tools/list')).status).toBe(404);
  const called = await rpc(url, 'tools/call', { name: 'submit', arguments: { answer: '42' } });
  expect(called.json.result).toMatchObject({ isError: true });
});

test('M1: a server with the same key knows an address from before its restart; another one does not', async () => {
  const mcp = { key: 'k'.repeat(32) };
  const [first, second, other] = [await startMcp({ mcp }), await startMcp({ mcp }), await startMcp()];
  const { sid, token } = await first.open();
  // Nothing of the session is there, but the address is understood: its session is what is missing.
  const create = { env_name: 'quiz', split: 'train', index: 0 };
  await second.post('/create', create, { sid });
  await other.post('/create', create, { sid });
  const ask = (url: string) => rpc(`${url}/mcp/sessions/${token}`, 'tools/call', { name: 'look' });
  expect((await ask(second.url)).json.result).toMatchObject({ isError: true });
  expect((await ask(other.url)).status).toBe(404);
});

test('M2: without an id of the client, or with another task under the same id, nothing begins', async () => {
  const { url, own, trace } = await startMcp();
  const without = await rpc(`${url}/mcp/quiz?split=train&index=0`, 'initialize');
  expect(without.status).toBe(400);
  expect(without.json.error.message).toContain('episode=');
  expect((await rpc(`${url}/mcp/quiz?split=nope&episode=a`, 'tools/list')).status).toBe(400);
  expect((await rpc(`${url}/mcp/quiz?index=x&episode=a`, 'tools/list')).status).toBe(400);
  expect((await rpc(`${url}/mcp/nope?episode=a`, 'tools/list')).status).toBe(404);
  await rpc(own('a'), 'tools/call', { name: 'look' });
  const other = await rpc(own('a', { index: 1 }), 'tools/call', { name: 'submit', arguments: { answer: '42' } });
  expect(other.status).toBe(400);
  expect(other.json.error.message).toContain("split 'train', index 0");
  expect(trace).toEqual([]);
});

test('M2: requests at the same time begin one episode; a task that is not there is told to the model', async () => {
  const { own, server, trace } = await startMcp();
  const call = (id: number) => rpc(own('a', { env: 'maze', index: 1 }), 'tools/call', { name: 'walk' }, { id });
  const answers = await Promise.all([1, 2, 3, 4].map(call));
  for (const { json } of answers) expect(textOfResult(json.result)).toBe('You walk.');
  expect(trace).toEqual(['setup']);
  const { json } = await rpc(own('b', { index: 99 }), 'tools/call', { name: 'look' });
  expect(json.result).toMatchObject({ isError: true });
  expect(textOfResult(json.result)).toContain('99');
  const listed = await rpc(own('b', { index: 99 }), 'prompts/get', { name: 'task' });
  expect(listed.json.error).toMatchObject({ code: -32_603, message: expect.stringContaining('99') });
  await server.close();
});

test('M4: to connect starts and awaits no setup; to list tools awaits it only where they depend on the task', async () => {
  const { own, open, trace, setup } = await startMcp();
  const maze = own('m', { env: 'maze' });
  for (const answer of [await rpc(maze, 'initialize', INITIALIZE), await modernRpc(maze, 'server/discover')]) {
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.result.instructions).toContain("prompt 'task'");
  }
  expect(trace).toEqual([]);
  // All tasks of this one have the same tools.
  expect((await rpc(own('q'), 'tools/list')).json.result.tools).toHaveLength(6);
  let isListed = false;
  const listing = rpc(maze, 'tools/list').finally(() => {
    isListed = true;
  });
  await setup.reached;
  expect((await rpc(maze, 'initialize', INITIALIZE)).status).toBe(200);
  expect(isListed).toBe(false);
  setup.open();
  expect((await listing).json.result.tools.map(({ name }: any) => name)).toEqual(['walk', 'open']);
  const { url } = await open({ env: 'maze', index: 1 });
  expect((await rpc(url, 'tools/list')).json.result.tools.map(({ name }: any) => name)).toEqual(['walk']);
  expect(trace).toEqual(['setup', 'setup']);
});

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
};

test('M5, M6: nothing is cacheable or announced to change, there are no resources, and a long task is only pointed to', async () => {
  const { own, open } = await startMcp();
  const { url } = await open();
  const { result } = (await modernRpc(url, 'tools/list')).json;
  expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  for (const address of [url, own('a')]) {
    const { capabilities } = (await rpc(address, 'initialize', INITIALIZE)).json.result;
    expect(JSON.stringify(capabilities)).not.toMatch(/listChanged|resources|logging/);
    expect((await rpc(address, 'resources/list')).json.error.code).toBe(-32_601);
  }
  expect((await rpc(url, 'prompts/list')).json.error.code).toBe(-32_601);
  expect((await rpc(url, 'initialize', INITIALIZE)).json.result.instructions).toBeUndefined();
  const long = (await rpc(own('l', { split: 'test' }), 'initialize', INITIALIZE)).json.result.instructions;
  expect(long).toContain("prompt 'task'");
  expect(long).not.toContain('1 plus 1');
  const maze = own('m', { env: 'maze', index: 1 });
  const { messages } = (await rpc(maze, 'prompts/get', { name: 'task' })).json.result;
  expect(messages.map(({ content }: any) => content.type)).toEqual(['text', 'image']);
  // It is ready now; but a picture does not fit into a text.
  expect((await rpc(maze, 'initialize', INITIALIZE)).json.result.instructions).toContain("prompt 'task'");
  expect((await rpc(maze, 'prompts/get', { name: 'other' })).json.error.code).toBe(-32_602);
});

test('M11: annotations say that a tool is harmless, unless its author knows better', async () => {
  const { open, tools } = await startMcp();
  const { url } = await open();
  const listed = (await rpc(url, 'tools/list')).json.result.tools;
  const of = (name: string) => listed.find((each: any) => each.name === name).annotations;
  expect(of('submit')).toEqual({ destructiveHint: false, openWorldHint: false });
  expect(of('look')).toEqual({ destructiveHint: false, openWorldHint: true, readOnlyHint: true });
  const [add] = (await rpc(tools, 'tools/list')).json.result.tools;
  expect(add.annotations).toEqual({ destructiveHint: false, openWorldHint: false });
});

describe('M12: a client that leaves', () => {
  const leave = async (ask: typeof rpc) => {
    const started = await startMcp();
    const { url } = await started.open();
    const leaving = new AbortController();
    const call = ask(url, 'tools/call', { name: 'wait' }, { signal: leaving.signal });
    await started.tool.reached;
    leaving.abort();
    await expect(call).rejects.toThrow();
    return { ...started, address: url };
  };

  test('M12: in the modern era, aborts its tool', async () => {
    const { trace } = await leave(modernRpc);
    await eventually(() => expect(trace).toEqual(['wait', 'wait aborted']));
  });

  test('M12: in the legacy era, does not: the tool ends by itself', async () => {
    const { trace, tool, address } = await leave(rpc);
    // Another call has come and gone: what leaving could do, it has done.
    expect((await rpc(address, 'tools/call', { name: 'look' })).status).toBe(200);
    tool.open();
    await eventually(() => expect(trace).toEqual(['wait', 'wait ended']));
  });
});

test('M12: a cancellation aborts the one call that has its id, and means nothing where several have it', async () => {
  const { open, get, tool, trace } = await startMcp();
  const { url } = await open();
  const other = await open();
  const call = (id: number) => rpc(url, 'tools/call', { name: 'wait' }, { id });
  const cancel = async (address: string, requestId: unknown) =>
    expect((await rpc(address, 'notifications/cancelled', { requestId })).status).toBe(202);
  const first = call(7);
  await tool.reached;
  for (const requestId of ['7', 8, undefined]) await cancel(url, requestId);
  await cancel(other.url, 7);
  expect(trace).toEqual(['wait']);
  await cancel(url, 7);
  expect((await first).json.result).toMatchObject({ isError: true });
  expect(trace).toEqual(['wait', 'wait aborted']);
  // One runs, and the other one waits for its turn.
  const both = [call(5), call(5)];
  await eventually(async () => expect((await get('/metrics')).text).toMatch(/^tiltyard_calls_waiting 1$/m));
  await cancel(url, 5);
  tool.open();
  for (const { json } of await Promise.all(both)) expect(textOfResult(json.result)).toBe('waited');
});

test('M14: a call runs at most once for an id of ours in its metadata; ids of requests are not trusted', async () => {
  const { own, trace } = await startMcp();
  const _meta = { 'tiltyard/call_id': 'once' };
  const submit = { name: 'submit', arguments: { answer: 'again' } };
  for (const ask of [rpc, modernRpc]) {
    const { json } = await ask(own('a'), 'tools/call', { ...submit, _meta });
    expect(textOfResult(json.result)).toBe('Wrong.');
  }
  expect(trace).toEqual(['submit again']);
  for (let time = 0; time < 2; time += 1) await rpc(own('a'), 'tools/call', submit, { id: 'same' });
  expect(trace).toHaveLength(3);
  const wrong = await rpc(own('a'), 'tools/call', { ...submit, _meta: { 'tiltyard/call_id': 5 } });
  expect(wrong.json.error).toMatchObject({ code: -32_602 });
});

test('M14: with an id of its own, a client that was cut off finds its call again', async () => {
  const { open, tool, trace } = await startMcp();
  const { url } = await open();
  const params = { name: 'wait', _meta: { 'tiltyard/call_id': 'mine' } };
  const leaving = new AbortController();
  const cut = modernRpc(url, 'tools/call', params, { signal: leaving.signal });
  await tool.reached;
  leaving.abort();
  await expect(cut).rejects.toThrow();
  const again = modernRpc(url, 'tools/call', params);
  tool.open();
  expect(textOfResult((await again).json.result)).toBe('waited');
  expect(trace).toEqual(['wait', 'wait ended']);
});

test('M15: requests over MCP keep a session alive', async () => {
  const clock = stopClock();
  const { open } = await startMcp({ limits: { idleMs: 10 * SECOND } });
  const [used, unused] = [await open(), await open()];
  for (let time = 0; time < 4; time += 1) {
    await clock.pass(5 * SECOND);
    expect((await rpc(used.url, 'tools/list')).status).toBe(200);
  }
  expect((await rpc(unused.url, 'tools/list')).status).toBe(404);
});
