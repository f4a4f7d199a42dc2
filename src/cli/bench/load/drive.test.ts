import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { gate } from '../../../../test/support/gate.ts';
import { isProblem } from './connection.ts';
import { drive, type Lane, type Load, type Player } from './drive.ts';
import { toEndpoint, toRequest } from './endpoint.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks for `/`, and takes any answer for a good one. */
function load(url: string, more: Partial<Load> = {}): Load {
  const endpoint = toEndpoint(url, {});
  const request = toRequest(endpoint, { method: 'GET', path: '/' });
  return {
    endpoint,
    connections: 2,
    warmUpMs: 0,
    durationMs: 500,
    timeoutMs: 2_000,
    signal: new AbortController().signal,
    createPlayer: (lane) => asking(lane, request),
    ...more,
  };
}

function asking({ connection }: Lane, request: Buffer): Player {
  return {
    isReady: true,
    prepare: async () => undefined,
    async play() {
      const exchange = await connection.exchange(request);
      return isProblem(exchange) ? exchange : undefined;
    },
    end: async () => {},
  };
}

test('a closed load has one request on each connection at a time, and counts all of them', async () => {
  let running = 0;
  let most = 0;
  const all = gate();
  const url = await serve(async (_, response) => {
    most = Math.max(most, ++running);
    if (running === 3) all.open();
    await all.opened;
    setTimeout(() => {
      running -= 1;
      response.end('ok');
    }, 10);
  });
  const driven = await drive(load(url, { connections: 3 }));
  expect(most).toBe(3);
  expect(driven).toMatchObject({ failed: 0, errors: [], unsent: 0 });
  expect(driven.completed).toBeGreaterThan(3);
  // What ends after the window has a latency, and is not in the throughput.
  expect(driven.latency.count - driven.completed).toBeGreaterThanOrEqual(0);
  expect(driven.latency.count - driven.completed).toBeLessThanOrEqual(3);
  expect(driven.receivedBytes).toBeGreaterThan(driven.completed * 100);
});

test('an open load counts from when a request should have begun, so that a slow server cannot hide', async () => {
  const SLOW_MS = 20;
  const url = await serve((_, response) => void setTimeout(() => response.end('ok'), SLOW_MS));
  const driven = await drive(load(url, { connections: 1, rate: 500, durationMs: 1_000 }));
  // One connection does at most 50 a second: the rest waits, and the longer the later it was due.
  expect(driven.latency.percentileMicros(0.9) / 1000).toBeGreaterThan(SLOW_MS * 5);
  expect(driven.unsent).toBeGreaterThan(100);
});

test('an open load begins its measurement without the debts of the warm-up', async () => {
  const url = await serve((_, response) => void setTimeout(() => response.end('ok'), 10));
  const driven = await drive(load(url, { connections: 1, rate: 2_000, warmUpMs: 300, durationMs: 300 }));
  // 600 were due before it and would take seconds: what is answered now must be what was due now.
  expect(driven.latency.count).toBeGreaterThan(0);
  expect(driven.latency.maxMicros / 1000).toBeLessThanOrEqual(driven.seconds * 1000 + 1_000);
});

test('an open load that the server can take is kept, whatever the connections could do', async () => {
  const url = await serve((_, response) => void response.end('ok'));
  const driven = await drive(load(url, { connections: 4, rate: 100, durationMs: 500 }));
  // Those that were under way when it began may be in it.
  expect(driven.completed).toBeLessThanOrEqual(driven.seconds * 100 + 5);
  expect(driven.completed).toBeGreaterThan(10);
});

test('what goes wrong is counted by its kind', async () => {
  const controller = new AbortController();
  let count = 0;
  const url = await serve((request, response) => {
    count += 1;
    // By now both connections have waited in vain.
    if (count === 12) controller.abort();
    if (count % 4 === 0) request.socket.destroy();
    else if (count % 4 === 1)
      response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.end());
    else if (count % 4 === 2) response.end('ok');
    // Every fourth gets no answer at all.
  });
  const { errors, failed } = await drive(load(url, { durationMs: 60_000, timeoutMs: 50, signal: controller.signal }));
  expect(errors.map(({ kind }) => kind).sort()).toEqual(['cut', 'timeout']);
  expect(errors.reduce((sum, error) => sum + error.count, 0)).toBe(failed);
});

test('a server that nobody listens at, and one of another kind, have kinds of their own', async () => {
  const raw = createRawServer((socket) => void socket.resume().end('SSH-2.0-nothing here\r\n')).listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
  expect((await drive(load(url))).errors.map(({ kind }) => kind)).toEqual(['malformed']);
  raw.close();
  await once(raw, 'close');
  const { errors, failed } = await drive(load(url));
  expect(errors).toMatchObject([{ kind: 'connect', example: expect.stringContaining('ECONNREFUSED') }]);
  // Not a busy loop: a refused connection takes no time at all.
  expect(failed).toBeLessThan(50);
});

test('a connection that the server closes after each answer is opened again, without an error', async () => {
  const url = await serve((_, response) => void response.writeHead(200, { connection: 'close' }).end('ok'));
  const driven = await drive(load(url));
  expect(driven.errors).toEqual([]);
  expect(driven.completed).toBeGreaterThan(2);
});

test('a load that is stopped ends at once, gives what it has, and lets its players clean up', async () => {
  const controller = new AbortController();
  const ended: string[] = [];
  let count = 0;
  const url = await serve((_, response) => {
    count += 1;
    if (count > 20)
      controller.abort(); // and never answers
    else response.end('ok');
  });
  const request = toRequest(toEndpoint(url, {}), { method: 'GET', path: '/' });
  const driven = await drive(
    load(url, {
      durationMs: 60_000,
      timeoutMs: 60_000,
      signal: controller.signal,
      createPlayer: (lane) => ({ ...asking(lane, request), end: async () => void ended.push('end') }),
    }),
  );
  expect(driven.completed).toBeGreaterThan(0);
  expect(driven.failed).toBe(0);
  expect(driven.seconds).toBeLessThan(60);
  expect(ended).toEqual(['end', 'end']);
});

test('a load that nothing gets ready for says why', async () => {
  const url = await serve((_, response) => void response.end());
  const problem = { kind: 'status 503', detail: 'full' } as const;
  const createPlayer = (): Player => ({
    isReady: false,
    prepare: async () => problem,
    play: async () => undefined,
    end: async () => {},
  });
  await expect(drive(load(url, { createPlayer }))).rejects.toThrow('no connection got ready (status 503): full');
});
