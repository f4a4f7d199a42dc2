import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tool, toolkit } from 'tiltyard';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { Gate, startGated } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { type LogLines, linesOf, logLines } from '../support/log-lines.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { arrivals } from '../support/stream.ts';
import { bank } from './toolkits.ts';

const MS = expect.any(Number);
const LOOPBACK = '127.0.0.1';

async function openSocket({ url }: Pick<TestServer, 'url'>): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** A call of `wait` as text. */
function toCall(sid: string, path = '/gated/call'): string {
  const body = JSON.stringify({ name: 'wait', input: {} });
  return toRequest(`POST ${path}`, ['Content-Type: application/json', `X-Session-ID: ${sid}`], body);
}

/** The lines of requests with this path, when there are so many and the server has answered another request since. */
async function linesAt({ get }: TestServer, lines: LogLines, { path, count = 1 }: { path: string; count?: number }) {
  const found = () => linesOf(lines, 'request').filter(({ url }) => url === path);
  await eventually(() => expect(found().length).toBeGreaterThanOrEqual(count));
  await get('/version');
  return found();
}

describe('a request whose client leaves has one line, with status 499', () => {
  // The slash at the end makes it one of Fastify's.
  test.each(['/gated/call', '/gated/call/'])('while its stream runs: %s', async (path) => {
    const lines = logLines();
    const { server, sid, tool } = await startGated({ logger: lines.logger });
    const socket = await openSocket(server);
    socket.write(toCall(sid, path));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('200 OK');
    socket.destroy();
    const expected = { method: 'POST', url: path, sid, status: 499, ms: MS, remoteAddress: LOOPBACK };
    expect(await linesAt(server, lines, { path })).toMatchObject([expected]);
    // The call goes on, and its end is no second end of the request.
    tool.open();
    await eventually(() => expect(linesOf(lines, 'call')).toHaveLength(1));
    expect(await linesAt(server, lines, { path })).toHaveLength(1);
  });

  test.each(['/gated/call', '/gated/call/'])('before anything is answered: %s', async (path) => {
    const lines = logLines();
    const { server, setup } = await startGated({ logger: lines.logger });
    const sid = await server.create({ task_spec: { gates: ['setup'] } });
    const socket = await openSocket(server);
    const arrived = arrivals(server);
    socket.write(toCall(sid, path));
    await arrived;
    socket.destroy();
    expect(await linesAt(server, lines, { path })).toMatchObject([{ url: path, sid, status: 499, ms: MS }]);
    setup.open();
    await server.get('/gated/prompt', { sid });
    expect(await linesAt(server, lines, { path })).toHaveLength(1);
  });

  test('before its body is whole', async () => {
    const lines = logLines();
    const { server, sid } = await startGated({ logger: lines.logger });
    for (const path of ['/gated/call', '/gated/call/']) {
      const socket = await openSocket(server);
      const arrived = arrivals(server);
      socket.write(toCall(sid, path).slice(0, -5));
      await arrived;
      socket.resetAndDestroy();
      expect(await linesAt(server, lines, { path })).toMatchObject([{ url: path, sid, status: 499, ms: MS }]);
    }
  });

  test('also when others wait before it on the same connection', async () => {
    const lines = logLines();
    const { server, sid } = await startGated({ logger: lines.logger });
    const socket = await openSocket(server);
    const arrived = arrivals(server, 4);
    socket.write(toCall(sid) + toCall(sid) + toCall(sid, '/gated/call/') + toRequest('GET /health'));
    await arrived;
    socket.destroy();
    const left = { status: 499, ms: MS };
    expect(await linesAt(server, lines, { path: '/gated/call', count: 2 })).toMatchObject([left, left]);
    expect(await linesAt(server, lines, { path: '/gated/call/' })).toMatchObject([left]);
    expect(await linesAt(server, lines, { path: '/health' })).toMatchObject([left]);
  });

  test('when it is a call of a tool outside sessions', async () => {
    const lines = logLines();
    const gate = new Gate();
    const run = (_input: unknown, { signal }: { signal: AbortSignal }) => gate.pass(signal).then(() => '');
    const slow = toolkit({ name: 'Slow', tools: { Wait: tool({ description: 'Waits.', run }) } });
    const server = await startServer({ environments: [], toolkits: [slow], logger: lines.logger });
    const socket = await openSocket(server);
    const body = JSON.stringify({ request: { tool_id: 'Slow.Wait', input: {} } });
    socket.write(toRequest('POST /tools/call', ['Content-Type: application/json'], body));
    await gate.reached;
    socket.destroy();
    expect(await linesAt(server, lines, { path: '/tools/call' })).toMatchObject([{ status: 499, ms: MS }]);
    expect(linesOf(lines, 'call')).toMatchObject([{ tool: 'Slow.Wait@1.0.0', outcome: 'cancelled' }]);
  });
});

test('requests that share a connection have a line each, in the order of their answers', async () => {
  const lines = logLines();
  const { server, sid, tool } = await startGated({ logger: lines.logger });
  const socket = await openSocket(server);
  const arrived = arrivals(server, 3);
  socket.write(toRequest('GET /version') + toCall(sid) + toRequest('GET /nowhere/at/all'));
  await arrived;
  tool.open();
  await eventually(() => expect(linesOf(lines, 'request')).toHaveLength(4));
  socket.destroy();
  expect(linesOf(lines, 'request').map(({ url, status }) => [url, status])).toEqual([
    ['/create', 200],
    ['/version', 200],
    ['/gated/call', 200],
    ['/nowhere/at/all', 404],
  ]);
  await server.get('/health');
  expect(linesOf(lines, 'request')).toHaveLength(5);
});

test.each([
  ['stops coming', ''],
  ['is broken', 'zz\r\n'],
])('a request that has its answer when its body %s has one line', async (_what, rest) => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger, limits: { requestMs: 200 } });
  const socket = await openSocket(server);
  const closed = once(socket, 'close');
  socket.write(toRequest('POST /nowhere/at/all', ['Transfer-Encoding: chunked'], '').concat('3\r\nabc\r\n'));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('404 Not Found');
  socket.write(rest);
  socket.resume();
  await closed;
  await server.get('/health');
  expect(linesOf(lines, 'request').map(({ url, status }) => [url, status])).toEqual([
    ['/nowhere/at/all', 404],
    ['/health', 200],
  ]);
});

test.each<[how: string, leave: (socket: Socket) => void]>([
  ['closes', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['sends the rest and closes', (socket) => socket.end(Buffer.alloc(17_000_000 - 100_000))],
])('a request that is too large has one line, with status 413, also if its client then %s', async (_how, leave) => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  for (const path of ['/math/call', '/math/tasks']) {
    const socket = await openSocket(server);
    const closed = once(socket, 'close');
    const headers = ['Content-Type: application/json', 'X-Session-ID: a', 'Content-Length: 17000000'];
    socket.write(
      `POST ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n${'x'.repeat(100_000)}`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('413 Payload Too Large');
    leave(socket);
    socket.resume();
    await closed;
    expect(await linesAt(server, lines, { path })).toMatchObject([{ status: 413, remoteAddress: LOOPBACK }]);
  }
  expect(linesOf(lines, 'request').filter(({ url }) => url !== '/version')).toHaveLength(2);
});

describe('a request that nothing of ours sees has one line as well', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', { status: 400, parserError: 'HPE_INVALID_METHOD' }],
    [
      'headers that are too large',
      toRequest('GET /health', [`X: ${'x'.repeat(200_000)}`]),
      { status: 431, parserError: 'HPE_HEADER_OVERFLOW' },
    ],
    [
      'a body that is broken',
      toRequest('POST /math/tasks', ['Transfer-Encoding: chunked'], '').concat('zz\r\n'),
      { method: 'POST', url: '/math/tasks', status: 400, parserError: 'HPE_INVALID_CHUNK_SIZE', ms: MS },
    ],
    [
      'an expectation',
      toRequest('GET /health', ['Expect: a miracle']),
      { method: 'GET', url: '/health', status: 417, ms: MS },
    ],
    [
      'a path that cannot be read',
      toRequest('GET /%zz/tools'),
      { method: 'GET', url: '/%zz/tools', status: 400, ms: MS },
    ],
    [
      'no host',
      'GET /health HTTP/1.1\r\n\r\n',
      { method: 'GET', url: '/health', status: 400, code: 'bad_request', ms: MS },
    ],
  ])('%s', async (_what, bytes, expected) => {
    const lines = logLines();
    const server = await startServer({ logger: lines.logger });
    expect((await exchange(server, bytes)).status).toBe(expected.status);
    await server.get('/version');
    const [line, ...others] = linesOf(lines, 'request');
    expect(others).toMatchObject([{ url: '/version', status: 200 }]);
    const { level: _level, time: _time, pid: _pid, hostname: _hostname, msg: _msg, ...fields } = line;
    expect(fields).toEqual({ ...expected, remoteAddress: LOOPBACK });
    expect(others[0]).not.toHaveProperty('remoteAddress');
  });

  test('a tunnel that nobody opens', async () => {
    const lines = logLines();
    const server = await startServer({ logger: lines.logger });
    await expect(exchange(server, toRequest('CONNECT evil.com:443'))).rejects.toThrow('closed');
    expect(linesOf(lines, 'request')).toMatchObject([{ method: 'CONNECT', url: 'evil.com:443', status: 400 }]);
    expect((await server.get('/health')).status).toBe(200);
  });

  test.each([
    ['headers', '', {}],
    [
      'body',
      'POST /math/call HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      { url: '/math/call', sid: 'a' },
    ],
  ])('%s that do not come in time', async (_what, bytes, known) => {
    const lines = logLines();
    const server = await startServer({ logger: lines.logger, limits: { headersMs: 300, requestMs: 300 } });
    const socket = await openSocket(server);
    socket.write(bytes);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
    await once(socket, 'close');
    await eventually(() => expect(linesOf(lines, 'request')).toHaveLength(1));
    expect(linesOf(lines, 'request')).toMatchObject([
      { ...known, status: 408, parserError: 'ERR_HTTP_REQUEST_TIMEOUT' },
    ]);
  });
});

describe('a request that was refused has the code of its answer in its line', () => {
  const ORCHESTRATOR = { 'x-api-key': 'key-of-anna' };
  const AGENT = { 'x-api-key': 'key-of-bert' };
  const auth = {
    apiKeys: [
      { key: 'key-of-anna', identity: 'anna' },
      { key: 'key-of-bert', identity: 'bert', scopes: ['agent'] },
    ],
  };

  /** The lines of refused requests, by their paths. */
  async function codesOf(lines: LogLines, count: number) {
    const found = () => linesOf(lines, 'request').filter(({ status }) => status >= 400);
    await eventually(() => expect(found()).toHaveLength(count));
    return found().map(({ url, status, code }) => [url, status, code]);
  }

  test('over ORS, whichever way it took', async () => {
    const lines = logLines();
    const server = await startServer({ auth, logger: lines.logger, limits: { maxSessionsPerIdentity: 1 } });
    const headers = ORCHESTRATOR;
    const task = { split: 'train', index: 0 };
    await server.post('/create', task, { sid: 'a', headers });
    await server.post('/create', task, { sid: 'b', headers });
    await server.get('/list_environments');
    await server.post('/math/tasks', { split: 'train' }, { headers: AGENT });
    // The lane's, and Fastify's with the slash at its end.
    for (const path of ['/math/call', '/math/call/'])
      await server.post(path, { name: 'nothing', input: {} }, { sid: 'a', headers });
    await server.post('/delete', undefined, { sid: 'a', headers });
    for (const path of ['/math/call', '/math/call/'])
      await server.post(path, { name: 'noargs', input: {} }, { sid: 'a', headers });
    await server.post('/ping', undefined, { sid: 'a', headers });
    await server.get('/nowhere/at/all', { headers });
    expect(await codesOf(lines, 9)).toEqual([
      ['/create', 429, 'too_many_sessions'],
      ['/list_environments', 401, 'unauthorized'],
      ['/math/tasks', 403, 'forbidden'],
      ['/math/call', 404, 'unknown_tool'],
      ['/math/call/', 404, 'unknown_tool'],
      ['/math/call', 410, 'session_gone'],
      ['/math/call/', 410, 'session_gone'],
      ['/ping', 404, 'session_gone'],
      ['/nowhere/at/all', 404, undefined],
    ]);
    for (const line of linesOf(lines, 'request').filter(({ status }) => status < 400))
      expect(line).not.toHaveProperty('code');
  });

  test('over OXP a word for it, although the answer has none', async () => {
    const lines = logLines();
    const server = await startServer({ environments: [], toolkits: [bank], auth, logger: lines.logger });
    const call = (tool_id: string, headers: Record<string, string> = ORCHESTRATOR, input: object = {}) =>
      server.post('/tools/call', { request: { tool_id, input } }, { headers });
    await call('Bank.Rate', {});
    await call('Bank.Nothing');
    await call('Bank.Add', ORCHESTRATOR, { a: 'one' });
    await call('Bank.Transfer');
    await server.get('/metrics', { headers: AGENT });
    expect(await codesOf(lines, 5)).toEqual([
      ['/tools/call', 400, 'unauthorized'],
      ['/tools/call', 400, 'unknown_tool'],
      ['/tools/call', 422, 'invalid_input'],
      ['/tools/call', 400, 'missing_requirements'],
      ['/metrics', 403, 'forbidden'],
    ]);
  });

  test('over OXP also when it only came too early', async () => {
    const lines = logLines();
    const gate = new Gate();
    const slow = toolkit({
      name: 'Slow',
      tools: { Wait: tool({ description: 'Waits.', run: () => gate.pass().then(() => '') }) },
    });
    const limits = { maxToolkitCalls: 1 };
    const server = await startServer({ environments: [], toolkits: [slow], logger: lines.logger, limits });
    const call = () => server.post('/tools/call', { request: { tool_id: 'Slow.Wait', input: {} } });
    const first = call();
    await gate.reached;
    await call();
    gate.open();
    await first;
    expect(await codesOf(lines, 1)).toEqual([['/tools/call', 400, 'too_many_calls']]);
  });
});
