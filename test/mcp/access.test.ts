import { once } from 'node:events';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { AUTH, KEYS, withKey, withToken } from '../server/credentials.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { watched } from './environments.ts';
import { ERAS, modernRpc, rpc, toMessage } from './rpc.ts';
import { startMcp } from './server.ts';

const TEAM = withKey(KEYS.team);

test('M17: the address alone lets an agent in; credentials that are sent must be good and of the same identity', async () => {
  const { open } = await startMcp({ auth: AUTH });
  const { url, token } = await open({}, TEAM);
  const status = async (headers: Record<string, string>) => (await rpc(url, 'tools/list', {}, { headers })).status;
  expect(await status({})).toBe(200);
  expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
  for (const headers of [TEAM, withKey(KEYS.agent), { authorization: `Bearer ${KEYS.agent}` }, withToken()])
    expect(await status(headers)).toBe(200);
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  expect(await status(withKey('wrong'))).toBe(401);
  expect(await status(withKey(KEYS.rival))).toBe(404);
  expect(await status(withToken({ scope: 'billing' }))).toBe(403);
});

test('M2, M17: to name an episode needs the scope of an orchestrator; without credentials it is 401 with a challenge', async () => {
  const { own, tools, get, url, post } = await startMcp({ auth: AUTH });
  for (const address of [own('a'), tools]) {
    const { status, headers, json } = await rpc(address, 'tools/list');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(json.error.message).toContain('credentials');
    expect((await rpc(`${address}&api_key=${KEYS.team}`.replace('tools&', 'tools?'), 'tools/list')).status).toBe(401);
  }
  expect((await rpc(own('a'), 'tools/list', {}, { headers: withKey(KEYS.agent) })).status).toBe(403);
  for (const headers of [TEAM, { authorization: `Bearer ${KEYS.team}` }, withToken()])
    expect((await rpc(own('a'), 'tools/call', { name: 'look' }, { headers })).status).toBe(200);
  // Another identity has another episode of the same id.
  const rival = await rpc(own('a', { index: 1 }), 'tools/call', { name: 'look' }, { headers: withKey(KEYS.rival) });
  expect(rival.status).toBe(200);
  expect((await post('/quiz/mcp', undefined, { sid: 'mcp:a', headers: withKey(KEYS.agent) })).status).toBe(403);
  expect((await post('/quiz/mcp', undefined, { sid: 'mcp:a', headers: TEAM })).status).toBe(200);
  for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp/quiz', 'oauth-authorization-server'])
    expect((await get(`/.well-known/${path}`)).status).toBe(404);
  expect(url).toBeDefined();
});

test('M16: a page of another origin is 403, with auth and without; the Host is checked on loopback', async () => {
  for (const auth of [undefined, AUTH]) {
    const { open, own, tools } = await startMcp({ auth, allowOrigins: ['https://mine.example'] });
    const { url } = await open({}, TEAM);
    for (const address of [url, own('a'), tools]) {
      const ask = async (headers: Record<string, string>) =>
        (await rpc(address, 'tools/list', {}, { headers: { ...TEAM, ...headers } })).status;
      expect(await ask({ origin: 'https://evil.example' })).toBe(403);
      expect(await ask({ origin: 'null' })).toBe(403);
      expect(await ask({ origin: 'https://mine.example' })).toBe(200);
      expect(await ask({ origin: new URL(address).origin })).toBe(200);
      expect(await statusWithHost(address, 'rebound.example')).toBe(421);
      expect(await statusWithHost(address, 'localhost')).toBe(200);
    }
  }
});

/** fetch() does not let anybody choose the Host. */
function statusWithHost(url: string, host: string): Promise<number | undefined> {
  const headers = { ...TEAM, host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  });
}

test('M18: a missing version is accepted; GET and DELETE are 405, and what is not JSON is refused', async () => {
  const { open, own, tools, request: ask } = await startMcp();
  const { url } = await open();
  for (const address of [url, own('a'), tools]) {
    const path = address.slice(address.indexOf('/mcp'));
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await ask(method, path, { headers: { accept: 'text/event-stream' } });
      expect(status).toBe(405);
      expect(headers.get('allow')).toContain('POST');
    }
    expect((await rpc(address, 'tools/list')).status).toBe(200);
    const versioned = { 'mcp-protocol-version': '2025-11-25' };
    expect((await rpc(address, 'tools/list', {}, { headers: versioned })).status).toBe(200);
    const json = { 'content-type': 'application/json' };
    const broken = await ask('POST', path, { raw: '{"jsonrpc":', headers: json });
    expect(broken.status).toBe(400);
    expect(broken.json.error.code).toBe(-32_700);
    expect((await ask('POST', path, { raw: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const polluting = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"a":1}}}';
    expect((await ask('POST', path, { raw: polluting, headers: json })).status).toBe(400);
    const huge = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{"n":1e400}}}';
    expect((await ask('POST', path, { raw: huge, headers: json })).status).toBe(400);
  }
});

test('M20: calls over MCP stand in the log and the metrics with their protocol, and no address of an agent does', async () => {
  const log = logLines();
  const { open, own, tools, get, call, server } = await startMcp({ logger: log.logger });
  const { sid, url, token } = await open();
  await rpc(url, 'tools/call', { name: 'look' }, { id: 'abc' });
  await modernRpc(own('a'), 'tools/call', { name: 'look' }, { id: 5 });
  await rpc(tools, 'tools/call', { name: 'Calculator_Add', arguments: { a: 1, b: 2 } });
  await call(sid, 'look', {}, { env: 'quiz' });
  const { text } = await get('/metrics');
  expect(text).toMatch(/tiltyard_calls_total\{environment="quiz",tool="look",outcome="returned",protocol="mcp"\} 2/);
  expect(text).toMatch(/tiltyard_calls_total\{environment="quiz",tool="look",outcome="returned"\} 1/);
  expect(text).toContain('tool="Calculator.Add@1.10.0",outcome="returned",protocol="mcp"} 1');
  await server.close();
  expect(linesOf(log, 'call')).toMatchObject([
    { sid, environment: 'quiz', tool: 'look', protocol: 'mcp', mcpId: 'abc' },
    { sid: 'mcp:a', protocol: 'mcp', mcpId: '5' },
    { tool: 'Calculator.Add@1.10.0', protocol: 'mcp', mcpId: '1' },
    { sid, tool: 'look' },
  ]);
  const requests = linesOf(log, 'request').filter(({ url: each }) => each.startsWith('/mcp'));
  expect(requests.map(({ url: each }) => each)).toContain('/mcp/sessions/[cut]');
  expect(log.text()).not.toContain(token.slice(0, 20));
});

test('M18: what is wrong about an address or a method is told in the words of MCP, with what to send where', async () => {
  const { environments, toolkits } = watched();
  for (const [served, addresses] of [
    [{ environments, toolkits }, ['/mcp/quiz?episode=', '/mcp/tools']],
    // A path that names no environment would be sent to the only one.
    [{ environments: [minimal()], toolkits: [] }, ['/mcp/minimal?episode=']],
    [{ environments: [], toolkits }, ['/mcp/tools']],
  ] as const) {
    const { url, request: ask } = await startServer({ ...served, mcp: true });
    const sent = await rpc(`${url}/mcp`, 'initialize', { protocolVersion: '2024-11-05' });
    expect([sent.status, sent.json]).toEqual([404, refusal(/^there is no MCP server at \/mcp itself/)]);
    for (const address of addresses) expect(sent.json.error.message).toContain(address);
    for (const path of ['/mcp', '/mcp/', addresses[0]])
      for (const method of ['GET', 'DELETE']) {
        const { status, headers, json } = await ask(method, path, { headers: { accept: 'text/event-stream' } });
        expect([status, headers.get('allow')]).toEqual([405, 'POST']);
        expect(json).toEqual(refusal(/POST.*Accept: application\/json, text\/event-stream.*2025-03-26/));
        if (path !== addresses[0]) expect((json as typeof sent.json).error.message).toContain(addresses[0]);
      }
  }
});

const refusal = (message: RegExp) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message: expect.stringMatching(message) },
});

test('M1: with one environment, a session gets its address without naming the environment', async () => {
  const { post, create } = await startServer({ environments: [minimal()], mcp: true });
  const { status, headers } = await post('/mcp', undefined, { sid: await create() });
  expect([status, headers.get('location')]).toEqual([308, '/minimal/mcp']);
});

test('M18: a client that wants its connection closed after the answer gets it closed, in both eras', async () => {
  const { open } = await startMcp();
  const { url } = await open();
  for (const era of ERAS) {
    const { headers, body } = toMessage(era, { id: 1, method: 'tools/call', params: { name: 'look' } });
    const asked = request(url, { method: 'POST', headers: { ...headers, connection: 'close' } });
    asked.end(body);
    const [response] = await once(asked, 'response');
    expect(response.headers.connection).toBe('close');
    expect(await readText(response)).toContain('A pixel.');
  }
});

test('M13: a client that gives a token hears every 10 s that its call goes on', async () => {
  const { open, tool } = await startMcp();
  const { url } = await open();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const told = rpc(url, 'tools/call', { name: 'wait', _meta: { progressToken: 'p' } });
    const silent = rpc((await open()).url, 'tools/call', { name: 'wait' });
    await tool.reached;
    await vi.advanceTimersByTimeAsync(25_000);
    tool.open();
    const { text } = await told;
    expect(text.match(/"method":"notifications\/progress"/g)).toHaveLength(2);
    expect(text).toContain('"progressToken":"p"');
    expect((await silent).text).not.toContain('progress');
  } finally {
    vi.useRealTimers();
  }
});

test('M25: a server that does not speak MCP has no such address', async () => {
  const { post, url } = await startMcp({ mcp: false });
  expect((await rpc(`${url}/mcp/quiz?episode=a`, 'tools/list')).status).toBe(404);
  expect((await post('/quiz/mcp')).status).toBe(404);
});
