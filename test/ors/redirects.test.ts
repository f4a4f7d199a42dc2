import Fastify from 'fastify';
import { ors } from 'tiltyard/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { expectError } from '../support/errors.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, client, shareServer, startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { readEvents, toResult } from '../support/sse.ts';

/** Serves `math` and `code_env`. */
const server = shareServer();
/** Serves `solo` alone. */
const solo = shareServer({ environments: [minimal({ name: 'Solo' })] });

const ACTIONS = ['tools', 'splits', 'tasks', 'num_tasks', 'task', 'task_range', 'task_tools', 'prompt', 'call'];
const SESSION_ACTIONS = ['task_tools', 'prompt', 'call'];

function expectRedirect({ status, headers, text }: Answer, location: string): void {
  expect({ status, location: headers.get('location'), text }).toEqual({ status: 308, location, text: '' });
}

/** Sends a request as a client does that follows redirects. */
async function follow({ url }: TestServer, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url + path, { ...init, redirect: 'follow' });
}

describe('paths without an environment', () => {
  test.each(ACTIONS)('X1: /%s is 308 to the first environment, with any method and its query', async (action) => {
    const { request } = server();
    for (const method of ['GET', 'POST', 'HEAD', 'PUT']) {
      expectRedirect(await request(method, `/${action}`), `/math/${action}`);
    }
    expectRedirect(await request('POST', `/${action}?a=1&b=%2F`, { raw: '{' }), `/math/${action}?a=1&b=%2F`);
    expectRedirect(await request('GET', `/${action}/`), `/math/${action}/`);
  });

  test('X1: the method, the body and the headers survive', async () => {
    const headers = { 'content-type': 'application/json' };
    const range = JSON.stringify({ split: 'train', start: 8 });
    const ranged = await follow(server(), '/task_range', { method: 'POST', headers, body: range });
    expect(await ranged.json()).toMatchObject({ tasks: [{ answer: '16' }, { answer: '18' }] });

    const sid = await server().create();
    const body = JSON.stringify({ name: 'submit', input: { answer: '0' } });
    const called = await follow(server(), '/call', {
      method: 'POST',
      headers: { ...headers, 'x-session-id': sid },
      body,
    });
    expect(toResult(readEvents(await called.text()))?.output.reward).toBe(1);
  });

  test('X1: whoever follows gets what the full path gives', async () => {
    for (const action of ['tools', 'splits']) {
      const followed = await follow(server(), `/${action}`);
      expect(await followed.text()).toBe((await server().get(`/math/${action}`)).text);
    }
  });

  test('X1: a name that is not ASCII is encoded in the Location', async () => {
    const started = await startServer({ environments: [minimal({ name: 'größe' })] });
    expectRedirect(await started.get('/tools'), '/gr%C3%B6%C3%9Fe/tools');
    expect((await follow(started, '/tools')).status).toBe(200);
  });

  test.each(SESSION_ACTIONS)('X2: /%s of a live session is 308 to its own environment', async (action) => {
    const sid = await server().create({ env_name: 'Code_Env', split: 'train', index: 0 });
    for (const given of [sid, ` ${sid} `]) {
      expectRedirect(await server().get(`/${action}?x=1`, { sid: given }), `/code_env/${action}?x=1`);
    }
  });

  test.each(SESSION_ACTIONS)('X2: /%s of a session that is not there is 308 to the first one', async (action) => {
    const { create, post, get } = server();
    const deleted = await create({ env_name: 'code_env', split: 'train', index: 0 });
    await post('/delete', undefined, { sid: deleted });
    for (const sid of ['unknown', deleted, 'x'.repeat(10_000)]) {
      expectRedirect(await get(`/${action}`, { sid }), `/math/${action}`);
    }
  });

  test('X2: a call of the second environment works without naming it', async () => {
    const sid = await server().create({ env_name: 'code_env', split: 'train', index: 1 });
    const headers = { 'content-type': 'application/json', 'x-session-id': sid };
    const body = JSON.stringify({ name: 'run', input: {} });
    const called = await follow(server(), '/call', { method: 'POST', headers, body });
    expect(await called.text()).toContain('ran b.py');
  });

  test('X2: what is not about the session goes to the first environment, whatever the session', async () => {
    const sid = await server().create({ env_name: 'code_env', split: 'train', index: 0 });
    for (const action of ['tools', 'splits'])
      expectRedirect(await server().get(`/${action}`, { sid }), `/math/${action}`);
  });
});

describe('paths that nothing has', () => {
  test.each(['/foo', '/foo?a=b', '/favicon.ico', '/Tools', '/get_task', '/metric', '/%E2%9C%93', '/foo/'])(
    'X3: a server of one environment sends %s there',
    async (path) => {
      const { request } = solo();
      for (const method of ['GET', 'POST']) expectRedirect(await request(method, path), `/solo${path}`);
    },
  );

  test('X3: whoever follows ends at a 404 with a detail', async () => {
    for (const method of ['GET', 'POST']) {
      const followed = await follow(solo(), '/foo', { method });
      expect({ status: followed.status, body: await followed.json() }).toEqual({
        status: 404,
        body: { detail: expect.stringContaining('/solo/foo') },
      });
    }
  });

  test.each(['/solo', '/SOLO', '/s%6Flo', '/solo/'])('X3: %s itself is 404, not a circle', async (path) => {
    expectError(await solo().get(path), 404);
  });

  test('X3: paths of the server stay what they are', async () => {
    expect((await solo().get('/list_environments')).json).toEqual(['solo']);
    expectError(await solo().request('PUT', '/health'), 405);
    expectError(await solo().get('/create'), 405);
  });

  test.each(['/', '/?a=b'])('X3: %s says what the server is, however many environments it has', async (path) => {
    for (const [{ get, request }, environments] of [
      [solo(), ['solo']],
      [server(), ['math', 'code_env']],
    ] as const) {
      const { status, json } = await get(path);
      const home = { server: 'tiltyard', version: expect.any(String), environments, openapi: '/openapi.json' };
      expect([status, json]).toEqual([200, home]);
      expectError(await request('POST', path), 405);
    }
  });

  test('X3: in an app of somebody else, / is theirs', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(ors, { prefix: '/arena', environments: [minimal({ name: 'solo' })] });
    await app.register(ors, { environments: [minimal({ name: 'solo' })] });
    const statusOf = async (url: string) => (await app.inject(url)).statusCode;
    expect([await statusOf('/'), await statusOf('/arena/')]).toEqual([404, 404]);
  });

  test.each(['/foo', '/favicon.ico', '/get_task'])('X3: a server of several environments has no %s', async (path) => {
    expectError(await server().get(path), 404);
  });

  test.each(ACTIONS)('X4: /nope/%s is a direct 404', async (action) => {
    for (const { request } of [server(), solo()]) {
      const method = ['tools', 'splits', 'task_tools', 'prompt'].includes(action) ? 'GET' : 'POST';
      const answer = await request(method, `/nope/${action}`, { sid: 'unknown' });
      expectError(answer, 404);
      expect(answer.headers.get('location')).toBeNull();
    }
  });
});

describe('where a Location leads', () => {
  const HOSTILE = [
    ...[
      '//evil.com/tools',
      '//evil.com',
      '//',
      '///tools',
      '/\\evil.com',
      '/\\/evil.com',
      '/%2F%2Fevil.com',
      '/%5Cevil.com',
    ],
    ...['/@evil.com', '/.evil.com', '/..', '/../tools', '/.//evil.com', '/tools?//evil.com', '/tools//evil.com'],
    ...[
      '/%0d%0aSet-Cookie:%20a=b',
      '/%00',
      '/;@evil.com',
      '/evil.com:80',
      '/tools#//evil.com',
      '/https:%2F%2Fevil.com',
    ],
    ...['http://evil.com/tools', 'https://evil.com/tools', 'HTTP://evil.com/tools', 'http://evil.com//evil.com'],
    ...['http://evil.com', 'http://evil.com?/tools', 'http:///tools', 'ftp://evil.com/tools', 'evil.com/tools'],
  ];
  test.each(HOSTILE)('X5: GET %s leads nowhere but to this server', async (target) => {
    for (const each of [server(), solo()]) {
      const { status, headers } = await exchange(each, toRequest(`GET ${target}`, ['X-Forwarded-Host: evil.com']));
      const location = headers.get('location');
      expect(headers.get('set-cookie')).toBeNull();
      // Some of them mean /, which is a page.
      if (status !== 308) expect([status === 200 || (status >= 400 && status < 500), location]).toEqual([true, null]);
      else {
        expect(location).toMatch(/^\/(math|solo)(\/|\?|$)/);
        expect(new URL(location ?? '', each.url).origin).toBe(each.url);
      }
    }
  });

  test.each(['http://evil.com/tools?a=1', 'HTTP://user@evil.com:1/tools?a=1'])(
    'X5: of the whole URL %s only the path is taken',
    async (target) => expectRedirect(await exchange(server(), toRequest(`GET ${target}`)), '/math/tools?a=1'),
  );

  test('X5: under a prefix the Location keeps the prefix', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(ors, { prefix: '/arena', environments: fixture().environments });
    const { get } = client(await app.listen({ port: 0, host: '127.0.0.1' }));
    expectRedirect(await get('/arena/tools?a=1'), '/arena/math/tools?a=1');
    expect((await get('/arena/math/tools')).status).toBe(200);
  });

  test.each([
    ['/arena', '/%61r%65na/tools?a=1', '/arena/math/tools?a=1'],
    ['/arena', 'http://evil.com/%61rena/tools', '/arena/math/tools'],
    ['/big arena/größe', '/big%20arena/gr%C3%B6%C3%9Fe/tools', '/big%20arena/gr%C3%B6%C3%9Fe/math/tools'],
  ])('X5: under the prefix %s, %s leads to %s', async (prefix, target, location) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(ors, { prefix, environments: fixture().environments });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const { status, headers } = await exchange({ url }, toRequest(`GET ${target}`));
    expect([status, headers.get('location')]).toEqual([308, location]);
    expect((await fetch(url + location)).status).toBe(200);
  });
});

test('X6: /version names the version, and no build if nobody gave one', async () => {
  const { createServer } = await importWith({ BUILD_SHA: '' });
  const { status, json } = await versionOf(createServer);
  expect(status).toBe(200);
  expect(json).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), build_sha: null });
});

test('X6: /version names the build that BUILD_SHA gives', async () => {
  const { createServer } = await importWith({ BUILD_SHA: 'c0ffee' });
  expect((await versionOf(createServer)).json.build_sha).toBe('c0ffee');
});

/** The package as a process with this environment loads it. */
async function importWith(variables: Record<string, string>): Promise<typeof import('tiltyard/server')> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.resetModules();
  return import('tiltyard/server');
}

async function versionOf(createServer: typeof import('tiltyard/server').createServer): Promise<Answer> {
  await using running = await createServer({ environments: [minimal()], logger: false });
  return await client(await running.listen()).get('/version');
}
