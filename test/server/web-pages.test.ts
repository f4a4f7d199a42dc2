import Fastify from 'fastify';
import { createServer, ors, oxp, type ServerOptions } from 'tiltyard/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange } from '../support/raw.ts';
import { AUTH, KEYS, withKey } from './credentials.ts';
import { bank } from './toolkits.ts';

const EVIL = 'https://evil.example';
const JSON_TYPE = 'Content-Type: application/json';

/** Sends a request with exactly these headers. */
function ask(server: { readonly url: string }, line: string, headers: readonly string[], body = ''): Promise<Answer> {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${line} HTTP/1.1`, ...headers, ...length].join('\r\n');
  return exchange(server, Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'));
}

const server = shareServer({ toolkits: [bank] });
const guarded = shareServer({ auth: AUTH });

describe('the name that a request calls the server by', () => {
  test.each([
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'sessions.localhost',
    'a.b.localhost:1',
    '127.0.0.1:8080',
    '127.1.2.3',
    '[::1]:1',
    '[0:0::1]',
    '[::ffff:127.0.0.1]',
  ])('G16: %j is the name of this machine', async (host) =>
    expect((await ask(server(), 'GET /math/tools', [`Host: ${host}`])).status).toBe(200),
  );

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    'localhost:80:80',
    '10.0.0.1',
    '[2001:db8::1]',
    'a_b',
    '',
    '\xff',
  ])('G16: %j may be anybody, and is 421 on every route with what to do', async (host) => {
    const body = JSON.stringify({ name: 'noargs', input: {} });
    const sid = await server().create();
    const before = server().counters.runs.noargs;
    const answers = [
      await ask(server(), 'GET /health', [`Host: ${host}`]),
      await ask(server(), 'GET /nowhere', [`Host: ${host}`]),
      await ask(server(), 'GET /openapi.json', [`Host: ${host}`]),
      await ask(server(), 'POST /math/call', [`Host: ${host}`, JSON_TYPE, `X-Session-ID: ${sid}`], body),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 421, json: { code: 'host_not_allowed' } });
      expect(answer.json.detail).toContain('--allow-host');
    }
    const call = JSON.stringify({ request: { tool_id: 'Bank.Rate', input: {} } });
    const overOxp = await ask(server(), 'POST /tools/call', [`Host: ${host}`, JSON_TYPE], call);
    expect(overOxp).toMatchObject({ status: 421, json: { message: expect.stringContaining('--allow-host') } });
    expect(server().counters.runs.noargs).toBe(before);
  });

  test('G16: with auth any name will do: nobody gets in without a key', async () => {
    const headers = ['Host: evil.example', `X-API-Key: ${KEYS.team}`];
    expect((await ask(guarded(), 'GET /math/tools', headers)).status).toBe(200);
    expect((await ask(guarded(), 'GET /math/tools', ['Host: evil.example'])).status).toBe(401);
  });

  test('G16: names that the operator allows are served, and only those', async () => {
    const named = await startServer({ allowHosts: ['Envs.Internal', '*.cluster.local', '::2'] });
    for (const [host, status] of [
      ['envs.internal:8080', 200],
      ['ENVS.internal.', 200],
      ['envs.default.svc.cluster.local', 200],
      ['[::2]:80', 200],
      ['sessions.envs.internal', 421],
      ['cluster.local', 421],
      ['evilcluster.local', 421],
    ] as const)
      expect((await ask(named, 'GET /health', [`Host: ${host}`])).status, host).toBe(status);
  });

  test('an operator can allow any name', async () => {
    const open = await startServer({ allowHosts: ['*'] });
    expect((await ask(open, 'GET /health', ['Host: evil.example'])).status).toBe(200);
  });

  test('a server that others reach is served under any address, and under the name that it listens on', async () => {
    await using open = await createServer({ environments: [minimal()], logger: false });
    const { port } = new URL(await open.listen({ host: '0.0.0.0' }));
    const url = `http://127.0.0.1:${port}`;
    for (const host of ['10.1.2.3', '192.168.0.7:8080', '[fd00::1]', '0.0.0.0', 'localhost'])
      expect((await ask({ url }, 'GET /health', [`Host: ${host}`])).status, host).toBe(200);
    expect((await ask({ url }, 'GET /health', ['Host: evil.example'])).status).toBe(421);
  });

  test.each(['https://envs.internal', 'envs.internal:80', 'a/b', '', '*.', 'a.*', 5])(
    'a server does not start with the name %j',
    async (name) => {
      const options = { environments: [minimal()], allowHosts: [name] } as ServerOptions;
      await expect(createServer(options)).rejects.toThrow('createServer: allowHosts[0] must be a host name or address');
    },
  );
});

describe('the page that a request comes from', () => {
  const call = JSON.stringify({ name: 'noargs', input: {} });

  test.each([
    ['another origin', [`Origin: ${EVIL}`]],
    ['another port of this machine', ['Origin: http://localhost:1']],
    ['a sandboxed frame or a file', ['Origin: null']],
    ['another site', ['Sec-Fetch-Site: cross-site']],
    ['another site that has no origin', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors']],
    ['another origin of the same site', ['Origin: http://localhost:1', 'Sec-Fetch-Site: same-site']],
    ['a name that only begins like ours', ['Origin: http://localhost.evil.example']],
    ['an origin that is no URL', ['Origin: localhost']],
  ])('G19: %s is 403 on every route', async (_what, headers) => {
    const { url, create, counters } = server();
    const all = [`Host: ${new URL(url).host}`, ...headers];
    const sid = await create();
    const before = counters.runs.noargs;
    const answers = [
      await ask(server(), 'GET /health', all),
      await ask(server(), 'GET /metrics', all),
      await ask(server(), 'GET /math/tools', all),
      await ask(server(), 'POST /create_session', all),
      await ask(server(), 'OPTIONS /math/call', [...all, 'Access-Control-Request-Method: POST']),
      await ask(server(), 'POST /math/call', [...all, JSON_TYPE, `X-Session-ID: ${sid}`], call),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
      expect(answer.json.detail).toContain('--allow-origin');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const rate = JSON.stringify({ request: { tool_id: 'Bank.Rate', input: {} } });
    const overOxp = await ask(server(), 'POST /tools/call', [...all, JSON_TYPE], rate);
    expect(overOxp).toMatchObject({ status: 403, json: { message: expect.stringContaining('--allow-origin') } });
    expect(counters.runs.noargs).toBe(before);
  });

  test.each([
    ['the server itself', (host: string) => [`Origin: http://${host}`, 'Sec-Fetch-Site: same-origin']],
    ['the server behind TLS', (host: string) => [`Origin: https://${host}`]],
    ['the bar of the browser', () => ['Sec-Fetch-Site: none']],
    ['no browser', () => ['Sec-Fetch-Mode: cors']],
  ])('a request from %s is served', async (_what, headers) => {
    const { host } = new URL(server().url);
    const sid = await server().create();
    const all = [`Host: ${host}`, JSON_TYPE, `X-Session-ID: ${sid}`, ...headers(host)];
    expect((await ask(server(), 'POST /math/call', all, call)).status).toBe(200);
  });

  test('with auth a page is as good as any client that has the key', async () => {
    const headers = ['Host: x', `Origin: ${EVIL}`, 'Sec-Fetch-Site: cross-site', `X-API-Key: ${KEYS.team}`];
    const answer = await ask(guarded(), 'GET /math/tools', headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['without auth', { allowOrigins: ['https://App.example'] }, {}],
    ['with auth', { allowOrigins: ['https://App.example'], auth: AUTH }, withKey(KEYS.team)],
    ['of any origin', { allowOrigins: ['*'] }, {}],
  ])('pages that the operator allows may use the server and read its answers, %s', async (_what, options, key) => {
    const allowing = await startServer(options);
    const page = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-session-id',
    };
    const preflight = await allowing.request('OPTIONS', '/math/call', { headers: { ...page, ...asked } });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,x-session-id',
      vary: 'origin',
    });
    const headers = { ...page, ...key };
    const created = await allowing.post('/create', { split: 'train', index: 0 }, { sid: 'a', headers });
    expect(created.headers.get('access-control-expose-headers')).toContain('ors-features');
    const answer = await allowing.post('/math/call', { name: 'noargs', input: {} }, { sid: 'a', headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect((await allowing.get('/nowhere', { headers })).headers.get('access-control-allow-origin')).toBe(page.origin);
  });

  test('to allow one origin allows no other', async () => {
    const allowing = await startServer({ allowOrigins: ['https://app.example'] });
    for (const origin of [EVIL, 'https://app.example.evil.example', 'http://app.example', 'null'])
      expect((await allowing.get('/health', { headers: { origin } })).status, origin).toBe(403);
  });

  test.each(['app.example', 'https://app.example/', 'https://user@app.example', 'null', 5])(
    'a server does not start with the origin %j',
    async (origin) => {
      const options = { environments: [minimal()], allowOrigins: [origin] } as ServerOptions;
      await expect(createServer(options)).rejects.toThrow(
        'createServer: allowOrigins[0] must be an origin without path',
      );
    },
  );
});

describe('the type of a body', () => {
  const BODIES: [route: string, body: object][] = [
    ['/math/call', { name: 'noargs', input: {} }],
    ['/create', { split: 'train', index: 0 }],
    ['/math/tasks', { split: 'train' }],
    ['/math/task', { split: 'train', index: 0 }],
    ['/create_session', {}],
    ['/ping', {}],
    ['/delete_session', {}],
    ['/delete', {}],
  ];
  const TYPES = ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  const ODD = [
    'text/plain; application/json',
    'text/plain,application/json',
    'application/jsonp',
    'x-application/json',
  ];

  test.each(BODIES)('G19: a body of POST %s must be declared as JSON, or nothing is done', async (route, body) => {
    const { create, counters, post } = server();
    const sid = await create();
    const used = route === '/create' ? `${sid}-new` : sid;
    const { runs, setups, teardowns } = structuredClone(counters);
    for (const type of [...TYPES, ...ODD]) {
      const headers = ['Host: localhost', `X-Session-ID: ${used}`, ...(type === '' ? [] : [`Content-Type: ${type}`])];
      const answer = await ask(server(), `POST ${route}`, headers, JSON.stringify(body));
      expect(answer.status, type).toBe(415);
      if (TYPES.includes(type)) expect(answer.json.detail).toContain('Content-Type: application/json');
    }
    expect(counters).toMatchObject({ runs, setups, teardowns });
    expect((await post(route, body, { sid: used })).status).toBe(200);
  });

  test.each(TYPES)('over OXP a call of type %j is refused, and nothing runs', async (type) => {
    const headers = ['Host: localhost', ...(type === '' ? [] : [`Content-Type: ${type}`])];
    const body = JSON.stringify({ request: { tool_id: 'Bank.Rate', input: {} } });
    const answer = await ask(server(), 'POST /tools/call', headers, body);
    expect(answer).toMatchObject({
      status: 400,
      json: { developer_message: expect.stringContaining('application/json') },
    });
  });

  test('S2: without a body no type is needed, nor does one matter that some clients add', async () => {
    for (const type of [[], ['Content-Type: application/octet-stream'], ['Content-Type: text/plain']]) {
      const headers = ['Host: localhost', 'Content-Length: 0', ...type];
      expect((await ask(server(), 'POST /create_session', headers)).status).toBe(200);
      const sid = await server().create();
      expect((await ask(server(), 'POST /delete', [...headers, `X-Session-ID: ${sid}`])).status).toBe(200);
    }
  });
});

describe('in an app of somebody else', () => {
  const app = Fastify();
  let url = '';
  beforeAll(async () => {
    await app.register(ors, { environments: [minimal()], prefix: '/ors', allowHosts: ['app.test'] });
    await app.register(oxp, { toolkits: [bank], prefix: '/oxp', allowOrigins: ['https://app.example'] });
    app.get('/mine', () => 'mine');
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => app.close());

  test('the routes of a protocol are guarded, and the others are left to the app', async () => {
    const evil = ['Host: evil.example'];
    expect((await ask({ url }, 'GET /ors/list_environments', evil)).status).toBe(421);
    expect((await ask({ url }, 'GET /oxp/tools', evil)).status).toBe(421);
    expect((await ask({ url }, 'GET /mine', evil)).status).toBe(200);
    expect((await ask({ url }, 'GET /ors/list_environments', ['Host: app.test'])).status).toBe(200);
    const page = ['Host: localhost', 'Origin: https://app.example'];
    expect((await ask({ url }, 'GET /ors/list_environments', page)).status).toBe(403);
    const answer = await ask({ url }, 'GET /oxp/tools', page);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });
});

test('the refusals are described where nobody needs a key, and elsewhere are not', async () => {
  const open = (await server().get('/openapi.json')).json;
  for (const [path, status] of [
    ['/{env}/call', 421],
    ['/{env}/call', 403],
    ['/{env}/call', 415],
    ['/tools/call', 421],
  ])
    expect(open.paths[path as string].post.responses).toHaveProperty(String(status));
  const { json } = await guarded().get('/openapi.json', { headers: withKey(KEYS.team) });
  expect(json.paths['/{env}/call'].post.responses).not.toHaveProperty('421');
});
