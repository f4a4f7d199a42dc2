import { tool, toolkit } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/clock.ts';
import { pause } from '../support/fixture.ts';
import { startGated } from '../support/gates.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { bank } from './toolkits.ts';

const MS = expect.any(Number);
const DEBUG = 20;
const INFO = 30;

test('each call has a line: whose it was, how long it took, and how it ended', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create();
  const { taskId } = await server.call(sid, 'noargs');
  await server.call(sid, 'boom');
  expect(linesOf(lines, 'call')).toMatchObject([
    { level: INFO, sid, taskId, environment: 'math', tool: 'noargs', ms: MS, outcome: 'returned' },
    { level: INFO, sid, environment: 'math', tool: 'boom', ms: MS, outcome: 'env_error' },
  ]);
});

test('a call that ran and was answered has one line at level info, and one that comes again has that of its request', async () => {
  const lines = logLines();
  const server = await startServer({ toolkits: [bank], logger: lines.logger });
  const sid = await server.create();
  const call = () => server.call(sid, 'noargs', {}, { taskId: 'once' });
  const rate = () => server.post('/tools/call', { request: { call_id: 'once', tool_id: 'Bank.Rate', input: {} } });
  for (const ask of [call, rate, call, rate]) expect((await ask()).status).toBe(200);
  const requests = () => linesOf(lines, 'request').filter(({ url }) => url === '/math/call' || url === '/tools/call');
  await eventually(() => expect(requests()).toHaveLength(4));
  expect(linesOf(lines, 'call')).toHaveLength(2);
  expect(requests().map(({ level, url, status }) => [level, url, status])).toEqual([
    [DEBUG, '/math/call', 200],
    [DEBUG, '/tools/call', 200],
    [INFO, '/math/call', 200],
    [INFO, '/tools/call', 200],
  ]);
});

test('each call of a tool outside sessions has a line as well', async () => {
  const lines = logLines();
  const server = await startServer({ environments: [], toolkits: [bank], logger: lines.logger });
  await server.post('/tools/call', { request: { call_id: 'mine', tool_id: 'Bank.Rate', input: {} } });
  const [line, ...others] = linesOf(lines, 'call');
  expect(others).toEqual([]);
  expect(line).toMatchObject({ callId: 'mine', tool: 'Bank.Rate@1.0.0', ms: MS, outcome: 'returned' });
  expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['sid']));
});

test('the time of a call includes the check of its input, in a session and outside', async () => {
  const lines = logLines();
  const input = z.object({}).refine(() => pause(60).then(() => true));
  const slow = tool({ input, run: () => 'checked' });
  const environments = [minimal({ tools: { slow } })];
  const toolkits = [toolkit({ name: 'Slow', tools: { Slow: slow } })];
  const server = await startServer({ environments, toolkits, logger: lines.logger });
  await server.call(await server.create(), 'slow', {}, { env: 'minimal' });
  const { json } = await server.post('/tools/call', { request: { tool_id: 'Slow.Slow', input: {} } });
  // Not so the duration in the answer, which is the tool's own.
  expect(json).toMatchObject({ result: { value: 'checked' } });
  for (const { ms } of linesOf(lines, 'call')) expect(ms).toBeGreaterThan(50);
  expect(linesOf(lines, 'call')).toHaveLength(2);
});

test('what strangers choose cannot steer a terminal or break a line, and stays apart', async () => {
  const lines = logLines();
  const server = await startServer({ toolkits: [bank], logger: lines.logger });
  const sid = Buffer.from('a\x9b2Jb\x85c', 'latin1');
  await exchange(
    server,
    Buffer.concat([
      Buffer.from('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: '),
      sid,
      Buffer.from('\r\n\r\n'),
    ]),
  );
  await server.post('/tools/call', { request: { call_id: 'x\u2028y', tool_id: 'Bank.Rate', input: {} } });
  await eventually(() => expect(linesOf(lines, 'request')).toHaveLength(2));
  expect(lines.text()).not.toMatch(/[\x7f-\x9f\u2028\u2029]/);
  expect(linesOf(lines, 'request')[0]).toMatchObject({ sid: 'a%C2%9B2Jb%C2%85c' });
  expect(linesOf(lines, 'call')).toMatchObject([{ callId: 'x%E2%80%A8y' }]);
});

test('keys and tokens in URLs do not get into the log, whichever way the line is written', async () => {
  const lines = logLines();
  const { get, url } = await startServer({ logger: lines.logger });
  await get('/math/tools?api_key=key-of-mine&split=train');
  await get('/nowhere?token=key-of-mine');
  await exchange({ url }, toRequest('GET http://me:key-of-mine@localhost/math/tools'));
  await eventually(() => expect(linesOf(lines, 'request')).toHaveLength(3));
  expect(lines.text()).not.toContain('key-of-mine');
  expect(linesOf(lines, 'request').map((line) => line.url)).toEqual([
    '/math/tools?api_key=[cut]&split=[cut]',
    '/nowhere?token=[cut]',
    'http://[cut]@localhost/math/tools',
  ]);
});

test('what authors log, throw and are called is escaped like what strangers choose', async () => {
  const lines = logLines();
  const evil = '\x9b2J\u202e\u200b';
  const noisy = minimal({
    tools: {
      shout: {
        run: (_input, { log }) => {
          log.warn(`said ${evil}`, { evil });
          throw new Error(`threw ${evil}`);
        },
      },
    },
  });
  const server = await startServer({ environments: [noisy], logger: lines.logger });
  await server.call(await server.create(), 'shout', {}, { env: 'minimal' });
  await eventually(() => expect(linesOf(lines, 'call')).toHaveLength(1));
  expect(lines.text()).toContain('said %C2%9B2J');
  expect(lines.text()).toContain('threw %C2%9B2J');
  expect(lines.text()).not.toMatch(/[\x9b\u202e\u200b]/);
});

test('each session has a line at its end: its environment, its outcome, its calls and its time', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create();
  await server.call(sid, 'noargs');
  await server.call(sid, 'submit', { answer: '0' });
  expect(linesOf(lines, 'session ended')).toEqual([]);
  await server.post('/delete', undefined, { sid });
  expect(linesOf(lines, 'session ended')).toMatchObject([
    { level: INFO, sid, environment: 'math', outcome: 'finished', reason: 'deleted', calls: 2, ms: MS },
  ]);
});

test('a session that nobody used any more ended because it expired', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger, limits: { idleMs: 20 } });
  const sid = await server.create();
  await eventually(() => expect(linesOf(lines, 'session ended')).toMatchObject([{ sid, reason: 'expired' }]));
});

test('a stop has a line at its beginning, with what is under way, and one at its end, with what it ended', async () => {
  const lines = logLines();
  const { server, open, tool } = await startGated({ logger: lines.logger, limits: { drainMs: 60_000 } });
  const deleted = await server.create();
  const calls = [open(), open({ sid: deleted })];
  await Promise.all(calls.map((call) => call.taskId()));
  expect(lines.text()).not.toContain('stop');
  const closed = server.server.close();
  await eventually(() => expect(linesOf(lines, 'stopping')).toMatchObject([{ level: INFO, sessions: 2, calls: 2 }]));
  await server.post('/delete', undefined, { sid: deleted });
  expect(linesOf(lines, 'stopped')).toEqual([]);
  tool.open();
  await Promise.all([closed, ...calls.map(({ ended }) => ended)]);
  expect(linesOf(lines, 'stopped')).toMatchObject([{ level: INFO, sessions: 1, ms: MS }]);
  expect(linesOf(lines, 'session ended').map(({ reason }) => reason)).toEqual(['deleted', 'stopped']);
  expect(lines.text().trim().split('\n').at(-1)).toContain('"stopped"');
});

test('where there is auth, each line says whose it was: two identities may have a session of the same id', async () => {
  const lines = logLines();
  const auth = {
    apiKeys: [
      { key: 'key-of-anna', identity: 'anna' },
      { key: 'key-of-bert', identity: 'bert' },
    ],
  };
  const server = await startServer({ auth, toolkits: [bank], logger: lines.logger });
  const sid = 'e1';
  for (const identity of ['anna', 'bert']) {
    const headers = { 'x-api-key': `key-of-${identity}` };
    await server.post('/create', { split: 'train', index: 0 }, { sid, headers });
    await server.call(sid, 'noargs', {}, { headers });
    for (const tool_id of ['Bank.Rate', 'Bank.Nothing'])
      await server.post('/tools/call', { request: { call_id: identity, tool_id, input: {} } }, { headers });
    await server.post('/delete', undefined, { sid, headers });
    const ofIdentity = (message: string) => linesOf(lines, message).filter((line) => line.identity === identity);
    await eventually(() => expect(ofIdentity('request')).toHaveLength(5));
    expect(ofIdentity('call')).toMatchObject([
      { sid, tool: 'noargs' },
      { callId: identity, tool: 'Bank.Rate@1.0.0' },
      { callId: identity, tool: '(unknown)' },
    ]);
    expect(ofIdentity('session ended')).toMatchObject([{ sid, calls: 1 }]);
  }
  // Of who is not known there is nothing to say.
  await server.get('/list_environments');
  await server.get('/nowhere/at/all', { headers: { 'x-api-key': 'key-of-anna' } });
  await eventually(() => expect(linesOf(lines, 'request')).toHaveLength(12));
  for (const line of linesOf(lines, 'request').slice(10)) expect(line).not.toHaveProperty('identity');
});

test('without auth, no line has an identity', async () => {
  const lines = logLines();
  const server = await startServer({ toolkits: [bank], logger: lines.logger });
  const sid = await server.create();
  await server.call(sid, 'noargs');
  await server.post('/tools/call', { request: { tool_id: 'Bank.Rate', input: {} } });
  await server.post('/delete', undefined, { sid });
  expect(linesOf(lines, 'session ended')).toHaveLength(1);
  expect(lines.text()).not.toContain('identity');
});

test('no line holds an input, a result or a secret', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create({ split: 'train', index: 0, secrets: { KEY: 'very-secret-value' } });
  await server.call(sid, 'echo', { value: 'what-only-the-model-knows' });
  await server.call(sid, 'secret');
  await server.call(sid, 'boom', { message: 'with very-secret-value inside' });
  await server.post('/delete', undefined, { sid });
  expect(linesOf(lines, 'call')).toHaveLength(3);
  expect(lines.text()).not.toContain('very-secret-value');
  expect(lines.text()).not.toContain('what-only-the-model-knows');
});

test('a pattern that can stall the server is a warning at start, with its place', async () => {
  const lines = logLines();
  const run = () => 'found';
  const search = tool({ input: z.object({ filter: z.object({ name: z.string().regex(/^(a+)+$/) }) }), run });
  const safe = tool({ input: z.object({ slug: z.string().regex(/^[a-z]+(-[a-z]+)*$/), mail: z.email() }), run });
  const environments = [minimal({ tools: { search, safe } })];
  const toolkits = [toolkit({ name: 'Find', tools: { Search: search } })];
  await startServer({ environments, toolkits, logger: lines.logger });
  const warnings = lines
    .text()
    .split('\n')
    .filter((line) => line.includes('"pattern"'));
  const problem =
    "parameter 'filter.name': the pattern ^(a+)+$ can take exponential time, so that one input stalls the server";
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 40,
      parameter: 'filter.name',
      msg: expect.stringContaining(`environment 'minimal', tool 'search', ${problem}`),
    },
    { level: 40, pattern: '^(a+)+$', msg: expect.stringContaining(`tool 'Find.Search@1.0.0', ${problem}`) },
  ]);
});
