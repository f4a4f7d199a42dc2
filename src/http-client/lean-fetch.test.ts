import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { gate } from '../../test/support/gate.ts';
import { leanFetch } from './index.ts';

interface Served {
  readonly url: string;
  /** How many connections were made. */
  readonly connections: () => number;
}

async function serve(answer: RequestListener): Promise<Served> {
  let connections = 0;
  // Longer than any pause of a busy machine.
  const server = createServer({ keepAliveTimeout: 120_000 }, answer)
    .on('connection', () => {
      connections += 1;
    })
    .listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

/** A server that says just these bytes to each request. */
async function say(act: (socket: Socket) => void): Promise<string> {
  const server = createRawServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => act(socket));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open() {
  const lean = leanFetch();
  onTestFinished(() => lean[Symbol.dispose]());
  return lean.fetch;
}

test.each([
  ['nothing', undefined],
  ['a text', 'plain'],
  ['a text of every kind', 'ä 漢 😀'],
  ['a long text', 'ä'.repeat(1_000_000)],
])('a request arrives as it was sent, with %s', async (_, body) => {
  const { url } = await serve(async (request, response) => {
    const { method, url: path, headers } = request;
    response.end(JSON.stringify({ method, path, headers, body: await textOf(request) }));
  });
  const fetch = open();
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await fetch(`${url}/a%20b?c=d`, { method, headers: { 'X-Name': 'é' }, body: body ?? null });
  const { headers, ...sent } = JSON.parse(await answer.text());
  expect(sent).toEqual({ method, path: '/a%20b?c=d', body: body ?? '' });
  expect(headers).toMatchObject({ 'x-name': 'é', host: new URL(url).host });
});

test('an answer has its status, its headers whatever their case, and its body', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(404, 'Not here', { 'X-One': ' 1 ', 'x-two': ['a', 'b'] });
    response.end('nothing');
  });
  const { ok, status, statusText, headers, ...answer } = await open()(url, { headers: new Headers({ a: 'b' }) });
  expect({ ok, status, statusText }).toEqual({ ok: false, status: 404, statusText: 'Not here' });
  expect(['x-ONE', 'X-Two', 'one', 'x-three'].map((name) => headers.get(name))).toEqual(['1', 'a, b', null, null]);
  expect(answer).toBeDefined();
});

test('requests one after the other share a connection, those at the same time do not', async () => {
  const all = gate();
  let waiting = 0;
  const { url, connections } = await serve(async (request, response) => {
    if (request.url === '/wait') {
      waiting += 1;
      if (waiting === 3) all.open();
      await all.opened;
    }
    response.end('ok');
  });
  const fetch = open();
  for (let count = 0; count < 5; count += 1) expect(await (await fetch(`${url}/`, {})).text()).toBe('ok');
  expect(connections()).toBe(1);
  await Promise.all([1, 2, 3].map(async () => (await fetch(`${url}/wait`, {})).text()));
  expect(connections()).toBe(3);
});

test('a connection that the server is about to close is not used again', async () => {
  const { url, connections } = await serve((_, response) => {
    response.setHeader('Keep-Alive', 'timeout=1');
    response.end('ok');
  });
  const fetch = open();
  for (let count = 0; count < 3; count += 1) await (await fetch(url, {})).text();
  expect(connections()).toBe(3);
});

test('an answer is read while it comes', async () => {
  const next = gate();
  const { url } = await serve(async (_, response) => {
    response.write('first ');
    await next.opened;
    response.end('second');
  });
  const reader = (await open()(url, {})).body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
  expect(await read()).toBe('first ');
  next.open();
  expect(await read()).toBe('second');
  expect(await reader?.read()).toEqual({ done: true, value: undefined });
});

test('what nobody reads stays with the server', async () => {
  const MEGABYTES = 64;
  let isWritten = false;
  const { url } = await serve((_, response) => {
    response.write(Buffer.alloc(MEGABYTES * 2 ** 20), () => {
      isWritten = true;
    });
    response.end();
  });
  const fetch = open();
  const { body } = await fetch(url, {});
  const reader = body?.getReader();
  await reader?.read();
  // Another answer, whole, after everything that could have come of the first one.
  for (let count = 0; count < 20; count += 1) await (await fetch(await say((socket) => socket.end(HELLO)), {})).text();
  expect(isWritten).toBe(false);
  let bytes = 0;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) bytes += read.value.length;
  expect(bytes).toBeGreaterThan((MEGABYTES - 1) * 2 ** 20);
});

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';

test('an answer that is cut is an error, before it begins and after', async () => {
  const fetch = open();
  const closed = fetch(await say((socket) => socket.destroy()), {});
  await expect(closed).rejects.toMatchObject({ code: 'ECONNRESET' });
  const cut = await fetch(await say((socket) => socket.end(HELLO.slice(0, -2))), {});
  await expect(cut.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('an answer that is not HTTP is an error', async () => {
  const fetch = open();
  await expect(fetch(await say((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')), {})).rejects.toThrow(/not HTTP/);
  const longer = await fetch(await say((socket) => socket.end(`${HELLO}${HELLO}`)), {});
  await expect(longer.text()).rejects.toThrow(/longer than it says/);
});

test('a server that is not there is refused by name', async () => {
  await expect(open()(`http://127.0.0.1:${await freePort()}`, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a signal ends a request, before its answer, within it, and before it is sent', async () => {
  const { url, connections } = await serve((request, response) => {
    if (request.url === '/begin') response.write('first');
  });
  const fetch = open();
  const early = new AbortController();
  const waiting = fetch(url, { signal: early.signal });
  const late = new AbortController();
  const answer = await fetch(`${url}/begin`, { signal: late.signal });
  early.abort(new Error('too early'));
  await expect(waiting).rejects.toThrow('too early');
  late.abort(new Error('too late'));
  await expect(answer.text()).rejects.toThrow('too late');
  const before = connections();
  await expect(fetch(url, { signal: early.signal })).rejects.toThrow('too early');
  expect(connections()).toBe(before);
});

test('an answer that is given up ends its connection, one that has ended leaves it', async () => {
  const gone = gate();
  const { url, connections } = await serve((request, response) => {
    if (request.url === '/whole') return void response.end('ok');
    response.write('first');
    response.on('close', () => gone.open());
  });
  const fetch = open();
  const reader = (await fetch(url, {})).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await gone.opened;
  await (await fetch(`${url}/whole`, {})).body?.getReader().cancel();
  await (await fetch(`${url}/whole`, {})).text();
  expect(connections()).toBe(2);
});

test('no header can carry another one', async () => {
  const { url, connections } = await serve((_, response) => void response.end());
  const sending = open()(url, { headers: { 'x-api-key': 'a\r\nx-other: b' } });
  await expect(sending).rejects.toThrow('the header x-api-key has a value that cannot be sent');
  expect(connections()).toBe(0);
});

test('where there is something cheaper than a signal, it ends the request, and the signal is not looked at', async () => {
  const arrived = gate();
  const { url } = await serve(() => arrived.open());
  const followers = new Set<() => void>();
  const until = {
    aborted: false,
    reason: new Error('enough'),
    follow(onEnd: () => void) {
      followers.add(onEnd);
      return () => void followers.delete(onEnd);
    },
  };
  const answer = open()(url, {
    until,
    get signal(): never {
      throw new Error('somebody has looked');
    },
  });
  await arrived.opened;
  for (const end of [...followers]) end();
  await expect(answer).rejects.toThrow('enough');
  expect(followers.size).toBe(0);
  await expect(open()(url, { until: { ...until, aborted: true } })).rejects.toThrow('enough');
});
