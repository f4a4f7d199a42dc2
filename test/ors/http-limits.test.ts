import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { pause } from '../support/fixture.ts';
import { gate } from '../support/gate.ts';
import { type Answer, shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, openRaw, toRequest } from '../support/raw.ts';
import { named, ROUTES, type Route, sendTo } from '../support/routes.ts';

const server = shareServer();

const MEGABYTE = 1024 * 1024;

// Longer than Node's default of 5 s. It begins before the other tests, which pass the time.
const IDLE_MS = 6_500;
let idle: Promise<Answer>;
beforeAll(() => {
  idle = askTwice(IDLE_MS);
  // Whoever awaits it hears of a failure; until then it is nobody's.
  idle.catch(() => {});
});

/** Asks, waits, and asks again on the same connection. */
async function askTwice(idleMs: number): Promise<Answer> {
  const connection = openRaw(server());
  await connection.send(toRequest('GET /health'));
  await pause(idleMs);
  return connection.send(toRequest('GET /health')).finally(() => connection.close());
}

describe('keys', () => {
  const withKeys = shareServer({ auth: { apiKeys: ['right', 'also-right'] } });
  const closed = ({ path }: Route) => path !== '/health';
  const BARE: Route[] = [
    { method: 'GET', path: '/tools' },
    { method: 'GET', path: '/ping' },
  ];

  test.each(named([...ROUTES.filter(closed), ...BARE]))('G11: %s is 401 without a valid key', async (_name, route) => {
    expectError(await sendTo(withKeys(), route, { sid: 'mine' }), 401, 'X-API-Key');
    for (const key of ['wrong', 'righ', 'right2', 'Right', 'right, also-right', '']) {
      expectError(await sendTo(withKeys(), route, { sid: 'mine', headers: { 'x-api-key': key } }), 401, 'X-API-Key');
    }
  });

  test('G11: each of the keys opens every route', async () => {
    for (const key of ['right', 'also-right']) {
      const options = { sid: crypto.randomUUID(), headers: { 'x-api-key': key } };
      for (const [name, route] of named(ROUTES)) {
        expect((await sendTo(withKeys(), route, options)).status, name).toBe(200);
      }
    }
  });

  test('G11: a key is neither taken from elsewhere nor repeated in the answer', async () => {
    const headers = { authorization: 'Bearer right', cookie: 'x-api-key=right', 'x-api-key': 'guess-4711' };
    const answer = await withKeys().get('/math/tools?x-api-key=right', { headers });
    expectError(answer, 401);
    expect(answer.text).not.toContain('4711');
  });

  test('G11: /health stays open', async () => {
    for (const path of ['/health', '/health/']) expect((await withKeys().get(path)).status).toBe(200);
  });

  test.each([[[]], [['']], [['right', '']]])('G11: a server cannot be started with the keys %j', async (apiKeys) => {
    await expect(startServer({ auth: { apiKeys } })).rejects.toThrow('API key');
  });
});

describe('headers', () => {
  const toHeader = (secrets: object) => Buffer.from(JSON.stringify(secrets)).toString('base64');

  test.each([40, 63])('G12: X-Secrets of %i KB arrives whole', async (kilobytes) => {
    const { post, call } = server();
    const sid = crypto.randomUUID();
    const KEY = 'k'.repeat(kilobytes * 768 - 30);
    const headers = { 'x-secrets': toHeader({ KEY: { value: KEY } }) };
    expect(headers['x-secrets'].length).toBeGreaterThan((kilobytes - 1) * 1024);
    expect((await post('/create', { split: 'train', index: 0 }, { sid, headers })).status).toBe(200);
    expect((await call(sid, 'secret')).result?.output.blocks[0].text).toBe(JSON.stringify({ KEY }));
  });

  test('G12: more than the limit is 431 with a detail', async () => {
    for (const bytes of [100_000, 5 * MEGABYTE]) {
      const head = `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(bytes)}`;
      expectError(await exchange(server(), head), 431, 'too large');
    }
    const many = Array.from({ length: 20_000 }, (_, index) => `X-${index}: y`);
    expectError(await exchange(server(), toRequest('GET /health', many)), 431, 'too large');
  });

  test('G12: the limit is configurable', async () => {
    const small = await startServer({ limits: { headerBytes: 2_000 } });
    expect((await small.get('/health', { headers: { 'x-big': 'x'.repeat(1_000) } })).status).toBe(200);
    expectError(await small.get('/health', { headers: { 'x-big': 'x'.repeat(3_000) } }), 431);
  });
});

describe('bodies', () => {
  test('G14: 100 MB are 413 with a detail, as soon as they are announced', async () => {
    const headers = [`Content-Length: ${100 * MEGABYTE}`, 'Content-Type: application/json'];
    for (const path of ['/math/tasks', '/create', '/math/call', '/create_session', '/ping']) {
      expectError(
        await exchange(server(), toRequest(`POST ${path}`, [...headers, 'X-Session-ID: s'])),
        413,
        'too large',
      );
    }
  });

  test.each(['/math/tasks', '/math/call'])(
    'G14: a client may go on sending to %s, and has its answer',
    async (path) => {
      const { url } = await startServer({ limits: { bodyBytes: 1_000 } });
      const connection = openRaw({ url });
      onTestFinished(() => connection.close());
      const headers = [`Content-Length: ${4 * MEGABYTE}`, 'Content-Type: application/json', 'X-Session-ID: s'];
      expectError(await connection.send(toRequest(`POST ${path}`, headers)), 413, 'too large');
      // The rest of the body goes nowhere, and the connection is as good as before.
      const rest = ' '.repeat(4 * MEGABYTE);
      expect((await connection.send(rest + toRequest('GET /health'))).status).toBe(200);
    },
  );

  test('G14: a body of unknown length is 413 once it is too long', async () => {
    const chunk = `${MEGABYTE.toString(16)}\r\n${' '.repeat(MEGABYTE)}\r\n`;
    const head = toRequest('POST /math/tasks', ['Transfer-Encoding: chunked', 'Content-Type: application/json']);
    expectError(await exchange(server(), head + chunk.repeat(17)), 413, 'too large');
    expect((await server().get('/health')).status).toBe(200);
  });

  test('G14: a body of some megabytes is taken', async () => {
    const sid = await server().create({ task_spec: { question: 'q'.repeat(10 * MEGABYTE) } });
    expect((await server().get('/math/prompt', { sid })).text.length).toBeGreaterThan(10 * MEGABYTE);
  });

  test('G14: the limit is configurable, to the byte', async () => {
    const { request } = await startServer({ limits: { bodyBytes: 1_000 } });
    const headers = { 'content-type': 'application/json' };
    const post = (bytes: number) =>
      request('POST', '/math/num_tasks', { headers, raw: '{"split":"train"}'.padEnd(bytes, ' ') });
    expect((await post(1_000)).json).toEqual({ num_tasks: 10 });
    expectError(await post(1_001), 413);
  });
});

describe('sessions', () => {
  const body = { split: 'train', index: 0 };

  test('G18: one session more than the limit is 429 with a detail, until one is deleted', async () => {
    const { post, create } = await startServer({ limits: { maxSessions: 2 } });
    const sid = await create();
    await create();
    const refused = await post('/create', body, { sid: 'third' });
    expectError(refused, 429, 'Try again later');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await post('/create_session')).status).toBe(200);
    await post('/delete', undefined, { sid });
    expect((await post('/create', body, { sid: 'third' })).status).toBe(200);
  });

  test('G18: creations at the same time do not get past the limit', async () => {
    const { opened, open } = gate();
    const train = () => opened.then(() => [{}]);
    const { post } = await startServer({
      environments: [minimal({ splits: { train } })],
      limits: { maxSessions: 3 },
    });
    const creations = Array.from({ length: 10 }, (_, at) => post('/create', body, { sid: `s${at}` }));
    // Those within the limit wait for their task, so whoever is answered now was refused.
    expectError(await Promise.race(creations), 429);
    open();
    const statuses = (await Promise.all(creations)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429, 429]);
  });

  test('G18: a creation that fails takes no place', async () => {
    const { post } = await startServer({ limits: { maxSessions: 1 } });
    for (const index of [99, -1]) expectError(await post('/create', { ...body, index }, { sid: 'a' }), 400);
    expect((await post('/create', body, { sid: 'a' })).status).toBe(200);
  });
});

describe('connections', () => {
  test('G13: a connection that was idle for longer than Node would keep it is still there', async () => {
    expect((await idle).status).toBe(200);
  });

  test('G13: an idle connection is kept for a minute at the least', async () => {
    const { server: running, get } = server();
    expect(running.app.server.keepAliveTimeout).toBeGreaterThanOrEqual(60_000);
    expect((await get('/health')).headers.get('keep-alive')).toBe('timeout=65');
  });
});
