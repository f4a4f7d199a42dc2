import { readFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { expectError } from '../support/errors.ts';
import { pause } from '../support/fixture.ts';
import { Gate, gated, startGated } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { byLabel, type Sample, toSamples } from '../support/samples.ts';
import { bank } from './toolkits.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

async function samplesOf({ get }: Pick<TestServer, 'get'>, headers = {}): Promise<Sample[]> {
  const { status, text } = await get('/metrics', { headers });
  if (status !== 200) throw new Error(`/metrics answered ${status}: ${text}`);
  return toSamples(text);
}

function sampleOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found?.value;
}

describe('sessions', () => {
  test('are counted while they live, by environment, and when they end, by outcome', async () => {
    const server = await startServer();
    const sids = [
      await server.create(),
      await server.create(),
      await server.create({ env_name: 'code_env', split: 'train', index: 0 }),
    ];
    expect(byLabel(await samplesOf(server), { name: 'tiltyard_sessions_live', label: 'environment' })).toEqual({
      math: 2,
      code_env: 1,
    });
    await server.call(sids[0] ?? '', 'submit', { answer: '0' });
    for (const sid of sids) await server.post('/delete', undefined, { sid });
    const after = await samplesOf(server);
    expect(byLabel(after, { name: 'tiltyard_sessions_live', label: 'environment' })).toEqual({ math: 0, code_env: 0 });
    const ended = (environment: string) =>
      byLabel(after, { name: 'tiltyard_sessions_ended_total', label: 'outcome', having: { environment } });
    const none = { finished: 0, env_error: 0, timeout: 0, cancelled: 0, expired: 0 };
    expect(ended('math')).toEqual({ ...none, finished: 1, cancelled: 1 });
    expect(ended('code_env')).toEqual({ ...none, cancelled: 1 });
  });

  test('are there with 0 before the first of them, so that a rate sees the first', async () => {
    const samples = await samplesOf(await startServer({ environments: [minimal({ name: 'Minimal' })] }));
    const name = 'tiltyard_sessions_ended_total';
    const having = { environment: 'minimal' };
    const none = { finished: 0, env_error: 0, timeout: 0, cancelled: 0, expired: 0 };
    expect(byLabel(samples, { name, label: 'outcome', having })).toEqual(none);
    expect(sampleOf(samples, 'tiltyard_sessions_live', having)).toBe(0);
  });

  test('show how long their setups took, and what memory they need', async () => {
    const server = await startServer();
    expect(sampleOf(await samplesOf(server), 'tiltyard_session_memory_bytes')).toBe(0);
    const sid = await server.create({ task_spec: { setup_ms: 20 } });
    await server.call(sid, 'noargs');
    const samples = await samplesOf(server);
    const math = { environment: 'math' };
    expect(sampleOf(samples, 'tiltyard_setup_duration_seconds_count', math)).toBe(1);
    expect(sampleOf(samples, 'tiltyard_setup_duration_seconds_sum', math)).toBeGreaterThan(0.015);
    expect(sampleOf(samples, 'tiltyard_setup_duration_seconds_bucket', { ...math, le: '0.01' })).toBe(0);
    expect(sampleOf(samples, 'tiltyard_setup_duration_seconds_bucket', { ...math, le: '+Inf' })).toBe(1);
  });
});

describe('calls', () => {
  test('are counted by environment, tool and outcome, with how long they took', async () => {
    const server = await startServer({ toolkits: [bank] });
    const sid = await server.create();
    for (const name of ['noargs', 'noargs', 'fail', 'boom']) await server.call(sid, name);
    await server.post('/tools/call', { request: { tool_id: 'Bank.Rate', input: {} } });
    const samples = await samplesOf(server);
    const calls = samples.filter(({ name }) => name === 'tiltyard_calls_total');
    expect(calls.map(({ labels, value }) => [labels.environment, labels.tool, labels.outcome, value])).toEqual([
      ['math', 'noargs', 'returned', 2],
      ['math', 'fail', 'tool_error', 1],
      ['math', 'boom', 'env_error', 1],
      ['', 'Bank.Rate@1.0.0', 'returned', 1],
    ]);
    const noargs = { environment: 'math', tool: 'noargs' };
    const buckets = samples.filter(
      ({ name, labels }) => name === 'tiltyard_call_duration_seconds_bucket' && labels.tool === 'noargs',
    );
    expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).sort((a, b) => a - b));
    expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 2 });
    expect(sampleOf(samples, 'tiltyard_call_duration_seconds_count', noargs)).toBe(2);
  });

  test('that a repeat finds again are counted once', async () => {
    const server = await startServer();
    const sid = await server.create();
    for (let times = 0; times < 3; times += 1) await server.call(sid, 'noargs', {}, { taskId: 'call-1' });
    expect(byLabel(await samplesOf(server), { name: 'tiltyard_calls_total', label: 'tool' })).toEqual({ noargs: 1 });
  });

  test('of tools that clients make up share one label', async () => {
    const server = await startServer({ toolkits: [bank] });
    const sid = await server.create();
    for (let count = 0; count < 20; count += 1) {
      await server.call(sid, `made-up-${count}`);
      await server.post('/tools/call', { request: { tool_id: `Bank.MadeUp${count}`, input: {} } });
    }
    const samples = (await samplesOf(server)).filter(({ name }) => name === 'tiltyard_calls_total');
    expect(samples.map(({ labels, value }) => [labels.environment, labels.tool, value])).toEqual([
      ['math', '(unknown)', 20],
      ['', '(unknown)', 20],
    ]);
  });

  test('that wait for setup or for their turn are counted until they run or end', async () => {
    const { server, sid, open, tool } = await startGated();
    const waiting = async () => sampleOf(await samplesOf(server), 'tiltyard_calls_waiting');
    expect(await waiting()).toBe(0);
    const calls = [open(), open(), open()];
    await tool.reached;
    await eventually(async () => expect(await waiting()).toBe(2));
    await server.post('/delete', undefined, { sid });
    await Promise.all(calls.map(({ ended }) => ended));
    expect(await waiting()).toBe(0);
  });
});

describe('calls that run', () => {
  const runningOf = (samples: readonly Sample[], labels: Record<string, string>) => ({
    running: sampleOf(samples, 'tiltyard_calls_running', labels),
    oldest: sampleOf(samples, 'tiltyard_call_oldest_seconds', labels),
  });

  test('are shown by tool while they run, with the age of the oldest, so that one that hangs is seen', async () => {
    const { server, open, tool } = await startGated();
    const tools = ['wait', 'deaf'].map((tool) => ({ environment: 'gated', tool }));
    const calls = [open(), open({ name: 'deaf' })];
    await Promise.all(calls.map((call) => call.taskId()));
    // It waits for its turn, behind the first.
    const waiting = open();
    await waiting.taskId();
    await pause(50);
    const samples = await samplesOf(server);
    for (const labels of tools) {
      const { running, oldest } = runningOf(samples, labels);
      expect(running).toBe(1);
      expect(oldest).toBeGreaterThanOrEqual(0.05);
      expect(oldest).toBeLessThan(30);
    }
    tool.open();
    await Promise.all([...calls, waiting].map(({ ended }) => ended));
    const after = await samplesOf(server);
    for (const labels of tools) expect(runningOf(after, labels)).toEqual({ running: 0, oldest: 0 });
  });

  test('run no longer when they were abandoned with their session', async () => {
    const { server, sid, open, tool } = await startGated();
    const call = open();
    await tool.reached;
    await server.post('/delete', undefined, { sid });
    await call.ended;
    const labels = { environment: 'gated', tool: 'wait' };
    expect(runningOf(await samplesOf(server), labels)).toEqual({ running: 0, oldest: 0 });
  });

  test('are the toolkits’ as well', async () => {
    const gate = new Gate();
    const slow = toolkit({
      name: 'Slow',
      tools: { Wait: tool({ description: 'Waits.', run: () => gate.pass().then(() => '') }) },
    });
    const server = await startServer({ environments: [], toolkits: [slow] });
    const call = () => server.post('/tools/call', { request: { tool_id: 'Slow.Wait', input: {} } });
    const calls = [call(), call()];
    const labels = { environment: '', tool: 'Slow.Wait@1.0.0' };
    await eventually(async () => expect(runningOf(await samplesOf(server), labels).running).toBe(2));
    gate.open();
    await Promise.all(calls);
    expect(runningOf(await samplesOf(server), labels)).toEqual({ running: 0, oldest: 0 });
  });
});

describe('requests', () => {
  const statusesOf = (samples: readonly Sample[], route: string) =>
    byLabel(samples, { name: 'tiltyard_http_requests_total', label: 'status', having: { route } });

  test('are counted by route and status, whichever way they take', async () => {
    const server = await startServer({ limits: { maxSessions: 1 }, toolkits: [bank] });
    const sid = await server.create();
    expectError(await server.post('/create', { split: 'train', index: 0 }, { sid: 'other' }), 429);
    await server.call(sid, 'noargs');
    await server.call('nobody', 'noargs');
    // The slash at the end makes it one of Fastify's.
    await server.post('/math/call/', { name: 'noargs', input: {} }, { sid });
    await server.request('PUT', '/math/call');
    await server.post('/tools/call', { request: { tool_id: 'Bank.Rate', input: {} } });
    const samples = await samplesOf(server);
    expect(statusesOf(samples, '/create')).toEqual({ 200: 1, 429: 1 });
    expect(statusesOf(samples, '/:env/call')).toEqual({ 200: 2, 404: 1, 405: 1 });
    expect(statusesOf(samples, '/tools/call')).toEqual({ 200: 1 });
    expect(statusesOf(await samplesOf(server), '/metrics')).toEqual({ 200: 1 });
  });

  test('share one label if they match no route, or are no HTTP', async () => {
    const server = await startServer({ auth: { apiKeys: ['whole'] } });
    for (let count = 0; count < 20; count += 1) await server.get(`/made/up/${count}`);
    for (const bytes of ['garbage\r\n\r\n', toRequest('GET /%zz/tools'), toRequest('GET /', ['Expect: a miracle'])])
      await exchange(server, bytes);
    await server.get('/list_environments');
    const samples = await samplesOf(server, { 'x-api-key': 'whole' });
    expect(statusesOf(samples, '(none)')).toEqual({ 400: 2, 404: 20, 417: 1 });
    expect(statusesOf(samples, '/list_environments')).toEqual({ 401: 1 });
    const routes = samples.filter(({ name }) => name === 'tiltyard_http_requests_total');
    expect(new Set(routes.map(({ labels }) => labels.route)).size).toBe(2);
  });

  test('of clients that left are counted as 499', async () => {
    const { server, open } = await startGated();
    const call = open();
    await call.taskId();
    call.drop();
    await eventually(async () => expect(statusesOf(await samplesOf(server), '/:env/call')).toEqual({ 499: 1 }));
  });
});

describe('the server', () => {
  test('shows what runs, since when, and how many sessions it takes', async () => {
    const samples = await samplesOf(await startServer({ limits: { maxSessions: 7 } }));
    const build = samples.find(({ name }) => name === 'tiltyard_build_info');
    expect(build).toMatchObject({ value: 1, labels: { version: manifest.version, node: process.versions.node } });
    expect(sampleOf(samples, 'tiltyard_sessions_limit')).toBe(7);
    const uptime = Date.now() / 1000 - (sampleOf(samples, 'process_start_time_seconds') ?? 0);
    expect(Math.abs(uptime - process.uptime())).toBeLessThan(2);
  });

  test('with auth, shows how many sessions an identity may have, and how many the fullest has', async () => {
    const apiKeys = ['anna', 'bert'].map((identity) => ({ key: `key-of-${identity}`, identity }));
    const server = await startServer({ auth: { apiKeys }, limits: { maxSessionsPerIdentity: 3 } });
    const as = (identity: string) => ({ 'x-api-key': `key-of-${identity}` });
    const fullest = async () => {
      const samples = await samplesOf(server, as('anna'));
      expect(sampleOf(samples, 'tiltyard_sessions_limit_per_identity')).toBe(3);
      return sampleOf(samples, 'tiltyard_sessions_live_of_fullest_identity');
    };
    expect(await fullest()).toBe(0);
    for (const [identity, sid] of [['anna', 'a'] as const, ['bert', 'a'] as const, ['bert', 'b'] as const])
      await server.post('/create', { split: 'train', index: 0 }, { sid, headers: as(identity) });
    expect(await fullest()).toBe(2);
    for (const sid of ['a', 'b']) await server.post('/delete', undefined, { sid, headers: as('bert') });
    expect(await fullest()).toBe(1);
  });

  test('without auth, has no limit for an identity', async () => {
    const names = (await samplesOf(await startServer())).map(({ name }) => name);
    expect(names.filter((name) => name.includes('identity'))).toEqual([]);
  });

  test('shows that it stops, while calls go on', async () => {
    const { server, open, tool } = await startGated({ limits: { drainMs: 60_000 } });
    expect(sampleOf(await samplesOf(server), 'tiltyard_stopping')).toBe(0);
    const call = open();
    await tool.reached;
    const closed = server.server.close();
    await eventually(async () => expect(sampleOf(await samplesOf(server), 'tiltyard_stopping')).toBe(1));
    tool.open();
    await Promise.all([closed, call.ended]);
  });

  test('of toolkits alone has no limit of sessions', async () => {
    const samples = await samplesOf(await startServer({ environments: [], toolkits: [bank] }));
    expect(sampleOf(samples, 'tiltyard_sessions_limit')).toBeUndefined();
  });
});

describe('the process', () => {
  test('shows its memory, its time and how late its event loop is', async () => {
    const server = await startServer();
    // Held up on purpose, before anybody has looked; what it measures begins with its first tick.
    await pause(30);
    const until = performance.now() + 60;
    while (performance.now() < until);
    await pause(20);
    const samples = await samplesOf(server);
    const names = new Set(samples.map(({ name }) => name));
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total'])
      expect(names).toContain(name);
    const lag = { name: 'tiltyard_event_loop_lag_seconds', label: 'quantile' };
    expect(byLabel(samples, lag)['1']).toBeGreaterThan(0.03);
    expect(byLabel(await samplesOf(server), lag)['1']).toBeGreaterThan(0.03);
  });

  test('shows how much heap it may take', async () => {
    const samples = await samplesOf(await startServer());
    const limit = sampleOf(samples, 'nodejs_heap_size_limit_bytes') ?? 0;
    expect(limit).toBe(getHeapStatistics().heap_size_limit);
  });

  test.runIf(process.platform === 'linux')('shows its descriptors, and how many it may have', async () => {
    const server = await startServer();
    const open = async () => sampleOf(await samplesOf(server), 'process_open_fds') ?? 0;
    const before = await open();
    expect(before).toBeGreaterThan(2);
    expect(before).toBeLessThan(sampleOf(await samplesOf(server), 'process_max_fds') ?? 0);
    const files = await Promise.all(Array.from({ length: 50 }, () => openFile(import.meta.filename)));
    onTestFinished(async () => void (await Promise.all(files.map((file) => file.close()))));
    expect(await open()).toBeGreaterThan(before + 40);
  });
});

describe('the route', () => {
  test('speaks the text format of Prometheus', async () => {
    const { get } = await startServer();
    const { status, headers, text } = await get('/metrics');
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    for (const { name } of toSamples(text)) {
      const family = name.replace(/_(bucket|sum|count)$/, '');
      expect(text).toMatch(new RegExp(`^# HELP (${name}|${family}) \\S`, 'm'));
    }
    expect(text).toContain('# TYPE tiltyard_call_duration_seconds histogram');
  });

  test('keeps the numbers of each server apart', async () => {
    const [one, other] = [await startServer(), await startServer()];
    await one.create();
    expect(sampleOf(await samplesOf(one), 'tiltyard_sessions_live', { environment: 'math' })).toBe(1);
    expect(sampleOf(await samplesOf(other), 'tiltyard_sessions_live', { environment: 'math' })).toBe(0);
  });

  test('is not there when metrics are off', async () => {
    const { get } = await startServer({ metrics: false });
    expectError(await get('/metrics'), 404);
  });

  test.each([
    ['environments', { environments: [minimal()] }, 'detail'],
    ['toolkits', { environments: [], toolkits: [bank] }, 'message'],
  ])('of a server of %s is for orchestrators and scrapers: others get 403', async (_what, options, key) => {
    const scopes = ['orchestrator', 'metrics', 'agent', 'billing'];
    const apiKeys = ['whole', ...scopes.map((scope) => ({ key: scope, scopes: [scope] }))];
    const { get } = await startServer({ ...options, auth: { apiKeys } });
    const ask = (apiKey: string) => get('/metrics', { headers: { 'x-api-key': apiKey } });
    for (const allowed of ['whole', 'orchestrator', 'metrics']) expect((await ask(allowed)).status).toBe(200);
    for (const other of ['agent', 'billing']) {
      const refused = await ask(other);
      expect(refused.status).toBe(403);
      expect(refused.json[key]).toContain("'orchestrator' or 'metrics'");
    }
    expect((await ask('wrong')).status).toBe(401);
  });

  test('leaves an application of one’s own alone, where the faces are mounted', async () => {
    const server = await createServer({ environments: gated().environments, logger: false, metrics: false });
    onTestFinished(() => server.close());
    server.app.server.unref();
    expect((await server.app.inject('/metrics')).statusCode).toBe(308);
  });
});
