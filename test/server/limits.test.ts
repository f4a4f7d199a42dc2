import Fastify from 'fastify';
import { image } from 'tiltyard';
import { DEFAULT_LIMITS, type Limits, ors, oxp } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startToolServer } from '../oxp/support.ts';
import { toolFixture } from '../oxp/toolkits.ts';
import { expectError } from '../support/errors.ts';
import { client, startServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { minimal, numbered } from '../support/minimal.ts';

describe('limits that cannot be', () => {
  test.each<[limits: object, message: string]>([
    [{ maxSessions: -1 }, 'maxSessions must be a whole number from 1, not -1'],
    [{ maxSessions: 0 }, 'maxSessions must be a whole number from 1, not 0'],
    [{ maxSessions: Number.NaN }, 'maxSessions must be a whole number from 1, not NaN'],
    [{ maxSessions: '500' }, 'maxSessions must be a whole number from 1, not the string "500"'],
    [{ bodyBytes: 1.5 }, 'bodyBytes must be a whole number of bytes from 1, not 1.5'],
    [{ bodyBytes: Number.POSITIVE_INFINITY }, 'bodyBytes must be a whole number of bytes from 1, not Infinity'],
    [{ drainMs: 2 ** 31 }, 'drainMs must be a whole number of ms from 0 to 2147483647, not 2147483648'],
    [{ idleMs: null }, 'idleMs must be a whole number of ms from 1 to 2147483647, not the object null'],
    [{ maxSession: 5 }, "limits has an unknown key 'maxSession'. Did you mean 'maxSessions'?"],
  ])('%o are refused at start: %s', async (limits, message) => {
    await expect(startServer({ limits: limits as Partial<Limits> })).rejects.toThrow(message);
    const app = Fastify();
    onTestFinished(() => app.close());
    app.register(ors, { environments: [minimal()], limits });
    await expect(app.ready()).rejects.toThrow(message);
  });

  test('a limit that is undefined is as if it were left out', async () => {
    const limits = { maxSessions: undefined } as unknown as Partial<Limits>;
    expect((await startServer({ limits })).server.limits).toEqual({ ...DEFAULT_LIMITS, drainMs: 0 });
  });
});

describe('the limits in force', () => {
  const limitsIn = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'limits in force')
      .map(({ level, limits }) => ({ level, limits }));

  test('stand in one line of the log when a server starts, and can be asked for', async () => {
    const { logger, text } = logLines();
    const { server } = await startServer({ logger, limits: { maxSessions: 7 } });
    expect(server.limits).toEqual({ ...DEFAULT_LIMITS, drainMs: 0, maxSessions: 7 });
    expect(limitsIn(text())).toEqual([{ level: 30, limits: server.limits }]);
  });

  test('of a face in an app of somebody else are those that hold there', async () => {
    const { logger, text } = logLines();
    const app = Fastify({ logger });
    onTestFinished(() => app.close());
    app.register(ors, { prefix: '/ors', environments: [minimal()], limits: { idleMs: 7 } });
    app.register(oxp, { prefix: '/oxp', toolkits: toolFixture().toolkits, limits: { maxToolkitCalls: 8 } });
    await app.ready();
    const [ofOrs, ofOxp, ...others] = limitsIn(text());
    expect(others).toEqual([]);
    expect(ofOrs?.limits).toMatchObject({ idleMs: 7, maxSessions: DEFAULT_LIMITS.maxSessions, drainMs: 10_000 });
    expect(ofOxp?.limits).toMatchObject({ maxToolkitCalls: 8, drainMs: 10_000 });
    expect(Object.keys(ofOrs?.limits)).not.toContain('maxToolkitCalls');
    expect(Object.keys(ofOxp?.limits)).not.toContain('idleMs');
    for (const { limits } of [ofOrs, ofOxp] as { limits: object }[]) expect(limits).not.toHaveProperty('bodyBytes');
  });
});

describe('sessions of one identity', () => {
  const task = { split: 'train', index: 0 };
  const auth = {
    apiKeys: [
      { key: 'red-1', identity: 'red' },
      { key: 'red-2', identity: 'red' },
      { key: 'blue', identity: 'blue' },
    ],
  };

  test.each([
    ['raised alone, with auth', { auth, limits: { maxSessions: 60_000 } }, true],
    ['raised alone, without auth', { limits: { maxSessions: 60_000 } }, false],
    ['lower than that of an identity', { auth, limits: { maxSessions: 1_000 } }, false],
    ['chosen beside that of an identity', { auth, limits: { maxSessions: 500, maxSessionsPerIdentity: 5 } }, false],
    ['not chosen', { auth }, false],
  ])('bind first where maxSessions is %s: a warning says so, or there is none', async (_what, options, isWarned) => {
    const lines = logLines();
    await startServer({ ...options, logger: lines.logger });
    const app = Fastify({ logger: lines.logger, pluginTimeout: 0 });
    onTestFinished(() => app.close());
    await app.register(ors, { environments: [minimal()], ...options });
    const written = lines.text().trim().split('\n');
    const warnings = written.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    const msg = expect.stringContaining('Set maxSessionsPerIdentity as well');
    const expected = { maxSessions: 60_000, maxSessionsPerIdentity: 50_000, msg };
    expect(warnings).toMatchObject(isWarned ? [expected, expected] : []);
  });

  test('are 429 beyond the limit, whichever of its keys is used, and others do not notice', async () => {
    const { post } = await startServer({ auth, limits: { maxSessionsPerIdentity: 2 } });
    const create = (key: string, sid: string, body: object = task) =>
      post('/create', body, { sid, headers: { 'x-api-key': key } });
    // What fails takes no place.
    expectError(await create('red-1', 'a', { split: 'train', index: 99 }), 400);
    expect((await create('red-1', 'a')).status).toBe(200);
    expect((await create('red-2', 'b')).status).toBe(200);
    const refused = await create('red-1', 'c');
    expectError(refused, 429, 'session limit reached (2 per identity). Delete one, or try again later');
    expect(refused.json.code).toBe('too_many_sessions');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await create('blue', 'c')).status).toBe(200);
    await post('/delete', undefined, { sid: 'a', headers: { 'x-api-key': 'red-2' } });
    expect((await create('red-1', 'c')).status).toBe(200);
    expectError(await create('red-1', 'd'), 429);
  });

  test('have no limit of their own where everybody is the same nobody', async () => {
    const { create } = await startServer({ limits: { maxSessionsPerIdentity: 1 } });
    await create();
    await create();
  });
});

describe('tasks in one answer', () => {
  const get = (id: number) => ({ id });
  const splits = { listed: () => numbered(10), indexed: { count: 10, get } };
  const start = (maxTasksPerPage: number) =>
    startServer({ environments: [minimal({ splits })], limits: { maxTasksPerPage } });

  test.each(['listed', 'indexed'])('are 400 beyond the limit, and the %s split says how to page', async (split) => {
    const { post } = await start(4);
    const range = (bounds: object) => post('/minimal/task_range', { split, ...bounds });
    expect((await range({ start: 3, stop: 7 })).json.tasks).toHaveLength(4);
    expect((await range({ start: -4 })).json.tasks).toHaveLength(4);
    expect((await range({ start: 8, stop: 999 })).json.tasks).toHaveLength(2);
    const refused = await range({ start: 3, stop: 8 });
    expectError(refused, 400, 'has 5 tasks; a response holds at most 4. Request pages: start 3, stop 7; then start 7');
    expect(refused.json.code).toBe('too_many_tasks');
    expectError(await range({}), 400, 'has 10 tasks');
    expectError(await post('/minimal/tasks', { split }), 400, 'use the index-based API');
    expect((await post('/minimal/num_tasks', { split })).json).toEqual({ num_tasks: 10 });
  });

  test('may be all of a split that is no larger than the limit', async () => {
    const { post } = await start(10);
    expect((await post('/minimal/tasks', { split: 'listed' })).json.tasks).toHaveLength(10);
    expect((await post('/minimal/task_range', { split: 'listed' })).json.tasks).toHaveLength(10);
  });
});

describe('tools without limits of their own', () => {
  const long = () => 'x'.repeat(100);
  const never = () => new Promise<string>(() => {});
  const tools = {
    long: { run: long },
    longer: { maxOutputBytes: 1_000, run: long },
    never: { run: never },
    picture: { run: () => image('aGk='.repeat(10), 'image/png') },
    hasty: { timeoutMs: 10, run: never },
  };
  const limits = { maxOutputBytes: 10, maxImageBytes: 10, toolTimeoutMs: 30, graceMs: 0 };

  test('get those of the server', async () => {
    const { create, call } = await startServer({ environments: [minimal({ tools })], limits });
    const sid = await create();
    const run = async (name: string) => (await call(sid, name, {}, { env: 'minimal' })).result;
    expect((await run('long'))?.output.blocks[0].text).toBe('xxxxxxxxxx\n[output cut: 10 of 100 bytes shown]');
    expect((await run('longer'))?.output.blocks[0].text).toBe(long());
    expect((await run('picture'))?.output.blocks[0].text).toBe('[image left out: 40 bytes, 10 allowed]');
    expect(await run('never')).toMatchObject({ ok: false, reason: 'timeout', error: expect.stringContaining('30 ms') });
    expect(await run('hasty')).toMatchObject({ ok: false, reason: 'timeout', error: expect.stringContaining('10 ms') });
  });

  test('get them over OXP as well', async () => {
    const { call } = await startToolServer({ limits: { toolTimeoutMs: 30, graceMs: 0 } });
    const { result } = (await call({ tool_id: 'Slow.Wait', input: { tag: 'never' } })).json;
    expect(result).toMatchObject({ success: false, error: { message: 'The tool took longer than 30 ms' } });
  });
});

describe('calls of one identity over OXP', () => {
  const auth = {
    apiKeys: [
      { key: 'red', identity: 'red' },
      { key: 'blue', identity: 'blue' },
    ],
  };
  const SUM = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } };

  test('are told to come back beyond the limit, and others do not notice', async () => {
    const { call, gate } = await startToolServer({ auth, limits: { maxToolkitCallsPerIdentity: 1 } });
    const as = (key: string) => ({ headers: { 'oxp-api-key': key } });
    const running = call({ tool_id: 'Slow.Wait', call_id: 'a', input: { tag: 'a' } }, as('red'));
    await gate('a').reached;
    const { status, headers, json } = await call(SUM, as('red'));
    expect([status, json.developer_message]).toEqual([400, 'too many of your calls are running (1)']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await call(SUM, as('blue'))).status).toBe(200);
    gate('a').open();
    await running;
    expect((await call(SUM, as('red'))).status).toBe(200);
  });
});

test('results over OXP make room, the oldest first, and nothing runs twice', async () => {
  const { call, count } = await startToolServer({ limits: { maxKeptBytes: 10_000 } });
  const echo = (callId: string) =>
    call({ tool_id: 'Shapes.Echo', call_id: callId, input: { value: 'x'.repeat(8_000) } });
  const first = await echo('a');
  expect((await echo('a')).json).toEqual(first.json);
  await echo('b');
  expect((await echo('a')).json.developer_message).toContain('its result is no longer kept');
  expect(count('Shapes.Echo@1.0.0')).toBe(2);
});

test('a description of the server says that a call may be 429', async () => {
  const { url } = await startServer();
  const { json } = await client(url).get('/openapi.json');
  expect(json.paths['/{env}/call'].post.responses).toHaveProperty('429');
});
