import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer, type TestServer } from '../support/http.ts';
import { liveBytes, MEGABYTE } from '../support/memory.ts';
import { minimal } from '../support/minimal.ts';
import { toRequest } from '../support/raw.ts';

const HEADERS = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'X-Session-ID: a'];

/** A client that sends a body in chunks and never ends it. */
async function openEndless({ url }: TestServer, chunks: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  if (!socket.write(toRequest('POST /create', HEADERS) + chunks)) await once(socket, 'drain');
  return socket;
}

test('a body that comes byte by byte takes about as much memory as it counts', async () => {
  const server = await startServer({ environments: [minimal()] });
  const before = await liveBytes();
  const count = 200_000;
  await openEndless(server, '1\r\nx\r\n'.repeat(count));
  await expect.poll(async () => heldBy(server)).toBe(count);
  expect((await liveBytes()) - before).toBeLessThan(4 * MEGABYTE);
});

test('what has come of a body that is too large is freed when it is refused, though its client goes on', async () => {
  const server = await startServer({ environments: [minimal()], limits: { bodyBytes: 2 * MEGABYTE } });
  const chunk = `${(2 * MEGABYTE).toString(16)}\r\n${'x'.repeat(2 * MEGABYTE)}\r\n1\r\nx\r\n`;
  const before = await liveBytes();
  for (let index = 0; index < 10; index += 1) {
    const [answer] = await once(await openEndless(server, chunk), 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
  }
  expect((await liveBytes()) - before).toBeLessThan(10 * MEGABYTE);
});

async function heldBy(server: TestServer): Promise<number> {
  return Number(/^tiltyard_memory_bytes (\d+)/m.exec((await server.get('/metrics')).text)?.[1]);
}
