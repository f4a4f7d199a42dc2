import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { liveBytes } from '../../../test/support/memory.ts';
import { environment } from '../../core/index.ts';
import { createServer } from '../index.ts';

const environments = [
  environment({ name: 'e', splits: { train: [{}] }, prompt: () => '', tools: { t: { run: () => '' } } }),
];

test('L12: a server that has stopped leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await createServer({ environments, logger: false });
  await server.app.ready();
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  await server.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection on which nothing has come yet does not hold up a stopping server', async () => {
  // If it did, it would for longer than a test may take.
  const server = await createServer({ environments, logger: false, limits: { closeMs: 60_000 } });
  const { port } = new URL(await server.listen());
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const accepted = once(server.app.server, 'connection');
  connect(Number(port), '127.0.0.1').on('error', () => {});
  await accepted;
  await server.close();
});

test('a stopping server that gives notice refuses new connections, and answers on those that it has', async () => {
  // Longer than the test takes: it ends when the last connection has gone.
  const server = await createServer({ environments, logger: false, limits: { noticeMs: 60_000 } });
  const url = await server.listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<IncomingMessage> => {
    const sent = request(`${url}/health`, { agent }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return answer;
  };
  expect((await ask()).statusCode).toBe(200);
  const closed = server.close();
  await expect.poll(() => server.app.server.listening).toBe(false);
  await expect(once(connect(Number(new URL(url).port), '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  const last = await ask();
  expect([last.statusCode, last.headers.connection]).toEqual([503, 'close']);
  await closed;
});

test('a server that nobody is connected to stops at once, whatever notice it gives', async () => {
  const server = await createServer({ environments, logger: false, limits: { noticeMs: 60_000 } });
  await server.listen();
  await server.close();
});

test('notice ends when its time is over, even if clients are still connected', async () => {
  const server = await createServer({ environments, logger: false, limits: { noticeMs: 50 } });
  const { port } = new URL(await server.listen());
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket.resume(), 'close');
  await server.close();
  await ended;
});

test('a connection that has closed is not held until the server stops', async () => {
  const server = await createServer({ environments, logger: false });
  onTestFinished(() => server.close());
  const { port } = new URL(await server.listen());
  const accepted: WeakRef<object>[] = [];
  server.app.server.on('connection', (socket) => accepted.push(new WeakRef(socket)));
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n').resume();
    await once(socket, 'close');
  }
  await liveBytes();
  // All but a few, which the platform may still have in its hands.
  expect(accepted).toHaveLength(20);
  expect(accepted.filter((each) => each.deref() !== undefined).length).toBeLessThan(10);
});
