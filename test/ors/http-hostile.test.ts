import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectError, expectErrorBody } from '../support/errors.ts';
import { type GatedServer, startGated } from '../support/gates.ts';
import { type Answer, shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, openRaw, toRequest } from '../support/raw.ts';
import { BODY_ROUTES, named, ROUTES, type Route } from '../support/routes.ts';
import { arrivals } from '../support/stream.ts';

const server = shareServer();

/** Sends a body as it is, under an id with which the route gets as far as the body. */
async function sendBody(
  { path }: Route,
  raw: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
): Promise<Answer> {
  const sid = path === '/create' ? crypto.randomUUID() : await server().create();
  return server().request('POST', path, { sid, raw, headers: { 'content-type': type } });
}

/** Whatever came, the client gets an answer or a proper error, and the server is none the worse. */
async function expectHarmless(answer: Answer): Promise<void> {
  expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
  if (answer.status >= 400) expectErrorBody(answer);
  expect((await server().get('/health')).status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe('prototypes', () => {
  const POISON = [
    '{"__proto__":{"polluted":1},"split":"train","index":0}',
    '{"split":"train","index":0,"a":{"b":[{"__proto__":null}]}}',
    '{"split":"train","index":0,"constructor":{"prototype":{"polluted":1}}}',
    '{"\\u005f_proto__":{"polluted":1},"split":"train","index":0}',
    '{"name":"echo","input":{"value":{"__proto__":{"polluted":1}}}}',
    '{"task_spec":{"__proto__":{"polluted":1}}}',
  ];
  test.each(named(BODY_ROUTES))('G3: %s refuses keys that reach a prototype', async (_name, route) => {
    for (const raw of POISON) {
      const answer = await sendBody(route, raw);
      expectError(answer, 400, '__proto__');
      await expectHarmless(answer);
    }
  });

  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  test.each(NAMES)('G1: %s is the name of nothing', async (name) => {
    const { get, post, create } = server();
    const sid = await create();
    for (const action of ['tools', 'splits']) expectError(await get(`/${name}/${action}`), 404, name);
    for (const action of ['tasks', 'num_tasks', 'task_range']) {
      expectError(await post(`/math/${action}`, { split: name }), 400, name);
    }
    expectError(await post('/create', { env_name: name, task_spec: {} }, { sid: 'free' }), 404, name);
    expectError(await post('/math/call', { name, input: {} }, { sid }), 404, name);
    expectError(await post('/ping', undefined, { sid: name }), 404, name);
  });

  test('G1: a session and a call may have such a name all the same', async () => {
    const { create, call, post } = server();
    const sid = await create(undefined, '__proto__');
    expect((await call(sid, 'noargs', {}, { taskId: 'constructor' })).result?.ok).toBe(true);
    expect((await post('/delete', undefined, { sid })).json).toEqual({ sid });
  });

  test('G10: such keys in X-Secrets stay secrets', async () => {
    const { post } = server();
    const header = Buffer.from('{"__proto__":{"value":"polluted"},"constructor":{"value":"x"}}').toString('base64');
    const options = { sid: crypto.randomUUID(), headers: { 'x-secrets': header } };
    await expectHarmless(await post('/create', { split: 'train', index: 0 }, options));
  });
});

describe('shapes of bodies', () => {
  test.each(named(BODY_ROUTES))('G3: %s refuses numbers that are too large, and says where', async (_name, route) => {
    expectError(
      await sendBody(route, '{"name":"echo","input":{"value":[1e400]}}'),
      400,
      "'input.value.0' is too large",
    );
    expectError(await sendBody(route, '{"task_spec":{"n":-1e400}}'), 400, "'task_spec.n' is too large");
  });

  test.each(named(BODY_ROUTES))('G3: nesting without end does no harm to %s', async (_name, route) => {
    const deep = `${'{"a":['.repeat(50_000)}1${']}'.repeat(50_000)}`;
    const bodies = [deep, `[${deep}]`, `{"split":${deep}}`, `{"task_spec":${deep},"secrets":${deep}}`];
    for (const raw of [...bodies, `{"name":"echo","input":{"value":${deep}}}`, `{"name":"num","input":${deep}}`]) {
      await expectHarmless(await sendBody(route, raw));
    }
  });

  test.each(named(BODY_ROUTES))('G1: no JSON of any shape gives %s a 500', async (_name, route) => {
    const keys = ['split', 'index', 'start', 'stop', 'env_name', 'task_spec', 'secrets', 'name', 'input', 'task_id'];
    const likely = fc.oneof(fc.constantFrom('train', 'math', 'num', 'submit', 0, -1, 1e300, null), fc.jsonValue());
    const bodies = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...keys), likely));
    const check = async (body: unknown) => expectHarmless(await sendBody(route, JSON.stringify(body)));
    await fc.assert(fc.asyncProperty(bodies, check), { numRuns: 60 });
  });

  test('G1: bytes that are no text do no harm', async () => {
    for (const route of BODY_ROUTES) {
      await expectHarmless(await sendBody(route, new Uint8Array([0xff, 0xfe, 0, 0x7b])));
      await expectHarmless(await sendBody(route, Buffer.from('{"split":"\xff\xfe\x80"}', 'latin1')));
    }
  });

  const OTHER_TYPES = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
  ];
  test.each([...OTHER_TYPES, 'application/xml', 'application/jsonp', 'garbage', ';;', 'a/b/c', '*/*'])(
    'G1: a body of type %s is 415 with a detail',
    async (type) => {
      for (const route of BODY_ROUTES) expectError(await sendBody(route, JSON.stringify(route.body), type), 415);
    },
  );

  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/vnd.api+json'])(
    'G1: a body of type %s is taken',
    async (type) => {
      for (const route of BODY_ROUTES)
        expect((await sendBody(route, JSON.stringify(route.body), type)).status).toBe(200);
    },
  );

  test('G1, G19: a body without a type is refused', async () => {
    const answer = await exchange(server(), toRequest('POST /math/num_tasks', [], '{"split":"train"}'));
    expectError(answer, 415, 'application/json');
  });
});

describe('what is not HTTP', () => {
  const head = 'POST /math/tasks HTTP/1.1\r\nHost: localhost\r\n';
  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a version that is none', 'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['an unknown method', toRequest('FOO /health')],
    ['a method in lower case', toRequest('get /health')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the hello of TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['a path of raw UTF-8', Buffer.from(toRequest('GET /größe/tools'))],
    ['a space in the path', toRequest('GET /math tools')],
    ['a header without a colon', toRequest('GET /health', ['nonsense'])],
    ['a space in a header name', toRequest('GET /health', ['X Y: z'])],
    ['a NUL in a header', toRequest('GET /health', ['X-Y: a\0b'])],
    ['a folded header', toRequest('GET /health', ['X-Y: a', ' b'])],
    ['line feeds alone', 'GET /health HTTP/1.1\nHost: localhost\n\n'],
    ['a length that is no number', `${head}Content-Length: x\r\n\r\n`],
    ['a negative length', `${head}Content-Length: -1\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a length beside chunks', `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['an unknown encoding', `${head}Transfer-Encoding: gzip\r\n\r\n{}`],
  ])('G1: %s is 400 with a detail, and the connection is closed', async (_what, bytes) => {
    const connection = openRaw(server());
    expectError(await connection.send(bytes), 400);
    await connection.closed;
    expect((await server().get('/health')).status).toBe(200);
  });

  test('G1: an expectation that nobody knows is 417 with a detail', async () => {
    expectError(await exchange(server(), toRequest('POST /math/tasks', ['Expect: a miracle'], '{}')), 417);
  });

  test('G1: a client that expects 100-continue gets it', async () => {
    const body = '{"split":"train"}';
    const headers = { expect: '100-continue', 'content-type': 'application/json', 'content-length': body.length };
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${server().url}/math/tasks`, { method: 'POST', headers, agent: false });
      request.on('continue', () => request.end(body)).on('error', reject);
      request.on('response', (response) => resolve(response.resume().statusCode));
      request.flushHeaders();
    });
    expect(status).toBe(200);
  });

  test('G8: CONNECT opens no tunnel and does not hang', async () => {
    const connection = openRaw(server());
    await expect(connection.send('CONNECT evil.com:443 HTTP/1.1\r\nHost: evil.com\r\n\r\n')).rejects.toThrow('closed');
  });

  test('G8: an Upgrade is not taken up', async () => {
    const headers = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'];
    expect((await exchange(server(), toRequest('GET /health', headers))).json).toEqual({ status: 'ok' });
  });

  test.each(['GET /health', 'GET /%zz/tools', 'GET /nowhere', 'POST /ping'])(
    'G8: the answer to an Upgrade of %s is the last on its connection, so that no broken request after it goes unanswered',
    async (line) => {
      const connection = openRaw(server());
      const answer = await connection.send(toRequest(line, ['Connection: Upgrade', 'Upgrade: websocket']));
      expect(answer.headers.get('connection')).toBe('close');
      await connection.closed;
    },
  );

  test('G1: a client that goes away in the middle does no harm', async () => {
    for (const [name] of named(ROUTES)) {
      for (const part of [name, `${name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"spl`]) {
        const connection = openRaw(server());
        const answer = connection.send(part);
        connection.close();
        await expect(answer).rejects.toThrow('closed');
      }
    }
    expect((await server().get('/health')).status).toBe(200);
  });

  describe('after a request that is not answered yet', () => {
    /** A call of `wait` on a connection of its own, and all that comes back until the server closes it. */
    async function callOn({ server, sid }: GatedServer, task = sid) {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      const body = '{"name":"wait","input":{},"task_id":"mine"}';
      const arrived = arrivals(server);
      socket.write(toRequest('POST /gated/call', ['Content-Type: application/json', `X-Session-ID: ${task}`], body));
      await arrived;
      return { socket, closed: socket.toArray().then((packets) => Buffer.concat(packets).toString()) };
    }

    test.each([
      ['is closed', 'garbage\r\n\r\n'],
      ['that gets no further is closed', toRequest('GET /health').slice(0, 20)],
      ['that sends half a body is closed', toRequest('POST /math/tasks', [], '{}').slice(0, -1)],
    ])('G1: a connection with a running stream %s, and nothing is written into the stream', async (_what, bytes) => {
      const gates = await startGated({ limits: { headersMs: 300, requestMs: 300 } });
      const { socket, closed } = await callOn(gates);
      await once(socket, 'readable');
      socket.write(bytes);
      const received = await closed;
      expect(received.match(/HTTP\/1/g)).toHaveLength(1);
      expect(received).toMatch(/event: task_id\ndata: mine\n\n\r\n$/);
      // The call is none the worse.
      const again = gates.open({ taskId: 'mine' });
      await again.taskId();
      gates.tool.open();
      expect((await again.ended).at(-1)?.event).toBe('end');
      expect(gates.count('wait')).toBe(1);
    });

    test('G1: garbage is not answered in place of it', async () => {
      const gates = await startGated();
      const waiting = await gates.server.create({ task_spec: { gates: ['setup'] } });
      const { socket, closed } = await callOn(gates, waiting);
      socket.write('garbage\r\n\r\n');
      expect(await closed).toBe('');
    });
  });

  test('G1: an error does not put the answers on one connection out of order', async () => {
    const connection = openRaw(server());
    const both = toRequest('POST /math/tasks', ['Content-Type: application/json'], '{') + toRequest('GET /health');
    expectError(await connection.send(both), 400);
    expect((await connection.send('')).json).toEqual({ status: 'ok' });
    connection.close();
  });

  test('G8: a path of 60 KB is a path like any other', async () => {
    for (const path of [
      `/${'x'.repeat(60_000)}/tools`,
      `/math/${'x'.repeat(60_000)}`,
      `/${'%61'.repeat(20_000)}/tools`,
    ]) {
      expectError(await exchange(server(), toRequest(`GET ${path}`)), 404);
    }
    const name = 'x'.repeat(200);
    const { get } = await startServer({ environments: [minimal({ name })] });
    expect((await get(`/${name}/tools`)).status).toBe(200);
  });
});
