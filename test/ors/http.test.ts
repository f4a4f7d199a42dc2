import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { gate } from '../support/gate.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { BODY_ROUTES, named, OPEN_ROUTES, ROUTES, type Route, SESSION_ROUTES, sendTo } from '../support/routes.ts';

const server = shareServer();

const inEnvironment = ({ path }: Route) => path.startsWith('/math/');

/** The id of a session that was there until a moment ago. */
async function deletedSid(): Promise<string> {
  const { create, post } = server();
  const sid = await create();
  await post('/delete', undefined, { sid });
  return sid;
}

/** An id with which the route gets as far as its body. */
async function usableSid({ path }: Route): Promise<string> {
  return path === '/create' ? crypto.randomUUID() : server().create();
}

describe('the form of errors', () => {
  test.each(named(BODY_ROUTES))('G1: a 400 of %s is JSON with a detail', async (_name, route) => {
    expectError(await server().post(route.path, [], { sid: await usableSid(route) }), 400);
  });

  test.each(named(OPEN_ROUTES.filter(inEnvironment)))('G1: a 404 of %s is JSON with a detail', async (_name, route) => {
    expectError(await sendTo(server(), { ...route, path: route.path.replace('math', 'nope') }), 404, 'nope');
  });

  const KNOWN_SESSION = SESSION_ROUTES.filter(({ path }) => path !== '/create' && path !== '/delete_session');
  test.each(named(KNOWN_SESSION))('G1: a 404 of %s for a session is JSON with a detail', async (_name, route) => {
    expectError(await sendTo(server(), route, { sid: 'unknown' }), 404, 'unknown');
  });

  test.each(named(SESSION_ROUTES.filter(inEnvironment)))(
    'G1: a 410 of %s is JSON with a detail',
    async (_name, route) => expectError(await sendTo(server(), route, { sid: await deletedSid() }), 410),
  );

  test('G1: a 503 of a server that stops is JSON with a detail', async () => {
    const [reached, allowed] = [gate(), gate()];
    const teardown = () => {
      reached.open();
      return allowed.opened;
    };
    const stopping = await startServer({ environments: [minimal({ teardown })] });
    await stopping.create();
    const closed = stopping.server.close();
    await reached.opened;
    const refused = await stopping.post('/create', { split: 'train', index: 0 }, { sid: 'late' });
    const health = await stopping.get('/health');
    allowed.open();
    await closed;
    for (const answer of [refused, health]) expectError(answer, 503, 'stopping');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('bodies', () => {
  const MALFORMED = [
    '{',
    '',
    ' ',
    '{"split":',
    "{'split':'train'}",
    '{"split":"train"}}',
    '{"split":NaN}',
    'split=train',
  ];
  test.each(named(BODY_ROUTES))('G2: malformed JSON gives 400 on %s', async (_name, route) => {
    const options = { sid: await usableSid(route), headers: { 'content-type': 'application/json' } };
    for (const raw of MALFORMED)
      expectError(await server().request('POST', route.path, { ...options, raw }), 400, 'JSON');
  });

  test('G2: the error of a malformed body says where it breaks, without quoting it', async () => {
    const raw = '{"secrets": {"KEY": "hunter2" "x"}}';
    const headers = { 'content-type': 'application/json' };
    const answer = await server().request('POST', '/create', { sid: 'free', headers, raw });
    expectError(answer, 400, 'position 30');
    expect(answer.text).not.toContain('hunter2');
  });

  const WITHOUT_SPLIT = [{}, { split: 1 }, { split: null }, { split: ['train'] }, { Split: 'train' }];
  test.each<[path: string, bodies: object[]]>([
    ['/math/tasks', WITHOUT_SPLIT],
    ['/math/num_tasks', WITHOUT_SPLIT],
    ['/math/task', [...WITHOUT_SPLIT, { split: 'train' }, { split: 'train', index: {} }]],
    ['/math/task_range', [...WITHOUT_SPLIT, { split: 'train', start: [] }, { split: 'train', stop: '3' }]],
    ['/create', [{}, { split: 5, index: 0 }, { split: 'train', index: '0' }, { task_spec: {}, env_name: 5 }]],
    ['/math/call', [{}, { name: 'noargs' }, { name: 5, input: {} }, { name: 'noargs', input: 'x' }]],
  ])('G3: %s answers a missing or wrong field with 400', async (path, bodies) => {
    const sid = await usableSid({ method: 'POST', path });
    for (const body of bodies) expectError(await server().post(path, body, { sid }), 400, /must be|give a task/);
  });

  test.each(named(BODY_ROUTES))('G3: %s answers a body that is not an object with 400', async (_name, route) => {
    const sid = await usableSid(route);
    for (const body of [[], [route.body], null, 'train', 5, true]) {
      expectError(await server().post(route.path, body, { sid }), 400, 'must be a JSON object');
    }
    expectError(await server().post(route.path, undefined, { sid }), 400, 'needs a JSON object');
  });
});

describe('the X-Session-ID header', () => {
  test.each(named(SESSION_ROUTES))('G4: %s without X-Session-ID is 400', async (_name, route) => {
    expectError(await sendTo(server(), route), 400, 'X-Session-ID');
  });

  test.each(named(SESSION_ROUTES))('G4: %s with an X-Session-ID of 10 KB is 400', async (_name, route) => {
    expectError(await sendTo(server(), route, { sid: 'x'.repeat(10_000) }), 400, 'X-Session-ID');
  });

  test.each(named(SESSION_ROUTES))('G5: a blank X-Session-ID on %s counts as missing', async (name, { body }) => {
    for (const blank of ['', '   ', '\t \t', '\xa0']) {
      const headers = [`X-Session-ID: ${blank}`, 'Content-Type: application/json'];
      const text = toRequest(name, headers, body === undefined ? '' : JSON.stringify(body));
      expectError(await exchange(server(), Buffer.from(text, 'latin1')), 400, 'X-Session-ID');
    }
  });

  test('G5: spaces around a session id do not count', async () => {
    const sid = crypto.randomUUID();
    const headers = [`X-Session-ID:  \t ${sid} \t `, 'Content-Type: application/json'];
    const body = JSON.stringify({ split: 'train', index: 0 });
    expect((await exchange(server(), toRequest('POST /create', headers, body))).json).toEqual({ sid });
    expect((await server().post('/ping', undefined, { sid })).status).toBe(200);
  });

  test.each(named(OPEN_ROUTES.filter(({ path }) => path !== '/create_session')))(
    'G9: %s answers the same with no, an unknown, a deleted and an overlong session id',
    async (_name, route) => {
      const { text } = await sendTo(server(), route);
      for (const sid of [crypto.randomUUID(), await deletedSid(), 'x'.repeat(10_000)]) {
        expect(await sendTo(server(), route, { sid })).toMatchObject({ status: 200, text });
      }
    },
  );
});

describe('methods, paths and hosts', () => {
  // CONNECT asks for no path, and the answer to a HEAD has no body: see below.
  const OTHERS = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD');
  test.each(named(ROUTES))(
    'G8: other methods than that of %s are 405 and hear which one it is',
    async (_name, route) => {
      const allow = route.method === 'GET' ? 'GET, HEAD' : 'POST';
      for (const method of OTHERS.filter((each) => each !== route.method)) {
        // Neither a session nor a sound body is needed to hear it.
        const text = toRequest(`${method} ${route.path}`, ['Content-Type: application/json'], '{');
        const answer = await exchange(server(), text);
        expectError(answer, 405, `${method} is not allowed`);
        expect(answer.headers.get('allow')).toBe(allow);
      }
    },
  );

  test('G8: HEAD is the same as GET without the body, and 405 elsewhere', async () => {
    const { request, get } = server();
    const { headers, text } = await request('HEAD', '/math/tools');
    expect(text).toBe('');
    expect(headers.get('content-length')).toBe((await get('/math/tools')).headers.get('content-length'));
    expect((await request('HEAD', '/math/tasks')).status).toBe(405);
  });

  const NOWHERE = ['/math', '/math/nope', '/math/tools/more', '/a/b/c/d', '/health/x', '/%F0%9F%A6%84/x', '/foo'];
  test.each(NOWHERE)('G8: the unknown path %s is 404 for every method and body', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND', 'TRACE']) {
      for (const type of ['application/json', 'application/xml', 'nonsense']) {
        expectError(await exchange(server(), toRequest(`${method} ${path}`, [`Content-Type: ${type}`], '{')), 404);
      }
    }
  });

  test('G10: headers of hosted platforms are no error on any route', async () => {
    const headers = {
      'x-api-key': 'sk-nobody-knows',
      'x-deployment': 'owner/env',
      'x-secrets': Buffer.from(JSON.stringify({ KEY: { value: 'v', allowed_domains: ['a.com'] } })).toString('base64'),
      'x-user-id': 'u',
      'x-organisation-id': 'o',
      authorization: 'Bearer nothing',
      cookie: 'a=b',
    };
    const sid = crypto.randomUUID();
    for (const [name, route] of named(ROUTES)) {
      expect((await sendTo(server(), route, { sid, headers })).status, name).toBe(200);
    }
  });

  test('G15: a trailing slash changes nothing on any route', async () => {
    const sid = crypto.randomUUID();
    for (const [name, route] of named(ROUTES)) {
      const { status } = await sendTo(server(), { ...route, path: `${route.path}/` }, { sid });
      expect(status, name).toBe(200);
    }
  });

  test.each([
    '/m%61th/tools',
    '/%6d%61%74%68/tools',
    '/MATH/tool%73',
    '/math/tools?a=%zz',
    '/math/tools?__proto__[x]=1',
  ])('G15: the encoded path %s is found', async (path) =>
    expect((await server().get(path)).text).toBe((await server().get('/math/tools')).text),
  );

  test.each(['/%zz/tools', '/%/tools', '/math/%', '/%ff/tools', '/%e0%a4%a/prompt', '/%c0%ae%c0%ae/tools', '/%ZZ'])(
    'G15: the badly encoded path %s is 400',
    async (path) => expectError(await exchange(server(), toRequest(`GET ${path}`)), 400),
  );

  test('G16: only HTTP/1.1 demands that there is a Host', async () => {
    expectError(await exchange(server(), 'GET /health HTTP/1.1\r\n\r\n'), 400, 'Host');
    expect((await exchange(server(), 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('which error comes first', () => {
  const call = (sid: string | undefined, body: object | undefined, path = '/code_env/call') =>
    server().post(path, body, { sid });
  const bad = { name: 'num', input: { x: 'no number' } };

  test('G17: a missing header comes before the body, the environment and the tool', async () => {
    expectError(await call(undefined, []), 400, 'X-Session-ID');
    expectError(await server().post('/create', []), 400, 'X-Session-ID');
  });

  test('G17: an unknown or deleted session comes before the body and its type', async () => {
    for (const [sid, status] of [['unknown', 404] as const, [await deletedSid(), 410] as const]) {
      expectError(await call(sid, []), status, sid);
      expectError(await call(sid, bad), status, sid);
      const form = { sid, raw: '{', headers: { 'content-type': 'text/plain' } };
      expectError(await server().request('POST', '/nope/call', form), status, sid);
    }
  });

  test('G17: a bad body comes before the wrong environment, that before the tool, that before its input', async () => {
    const sid = await server().create();
    expectError(await call(sid, { name: 'nope' }), 400, "'input' must be");
    expectError(await call(sid, { name: 'nope', input: {} }), 404, "runs environment 'math'");
    expectError(await call(sid, bad), 404, "runs environment 'math'");
    expectError(await call(sid, { name: 'nope', input: { x: 'no number' } }, '/math/call'), 404, 'not a valid tool');
    expectError(await call(sid, bad, '/math/call'), 400, 'x: Must be a number');
  });
});
