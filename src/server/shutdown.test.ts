import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { liveBytes } from '../../test/support/memory.ts';
import { environment } from '../core/index.ts';
import { createServer } from './index.ts';

const environments = [
  environment({ name: 'e', splits: { train: [{}] }, prompt: () => '', tools: { t: { run() {} } } }),
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
  const server = await createServer({ environments, logger: false });
  const { port } = new URL(await server.listen());
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const accepted = once(server.app.server, 'connection');
  connect(Number(port), '127.0.0.1').on('error', () => {});
  await accepted;
  const begun = performance.now();
  await server.close();
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('a connection that has closed is not held until the server stops', async () => {
  const server = await createServer({ environments, logger: false });
  onTestFinished(() => server.close());
  const { port } = new URL(await server.listen());
  const accepted: WeakRef<object>[] = [];
  server.app.server.on('connection', (socket) => accepted.push(new WeakRef(socket)));
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').resume();
    await once(socket, 'close');
  }
  await liveBytes();
  // All but a few, which the platform may still have in its hands.
  expect(accepted).toHaveLength(20);
  expect(accepted.filter((each) => each.deref() !== undefined).length).toBeLessThan(10);
});
