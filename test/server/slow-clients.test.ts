import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pause } from '../support/fixture.ts';
import { startGated } from '../support/gates.ts';
import { startServer } from '../support/http.ts';
import { toRequest } from '../support/raw.ts';

// Short enough to wait for, long enough for a busy machine to send a small request within it.
const LIMIT_MS = 400;
const SHORT = { headersMs: LIMIT_MS, requestMs: LIMIT_MS, keepAliveMs: LIMIT_MS };

/** A connection, and all that comes back on it until the server closes it. */
function open({ url }: { readonly url: string }): { socket: Socket; closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const closed = socket.toArray().then((packets) => Buffer.concat(packets).toString());
  return { socket, closed };
}

const BODY = JSON.stringify({ split: 'train' });
const HEAD = `POST /math/num_tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

describe('a client that sends too slowly', () => {
  test.each([
    ['nothing', ''],
    ['half of its headers', HEAD.slice(0, 40)],
  ])('is cut off after it has sent %s', async (_what, sent) => {
    const server = await startServer({ limits: { headersMs: LIMIT_MS, requestMs: 60_000 } });
    const { socket, closed } = open(server);
    socket.write(sent);
    expect(await closed).toMatch(/^HTTP\/1.1 408 .*"detail":"the request did not arrive in time"/s);
  });

  test('is cut off after it has sent half of its body', async () => {
    const server = await startServer({ limits: { requestMs: LIMIT_MS } });
    const { socket, closed } = open(server);
    socket.write(HEAD + BODY.slice(0, 5));
    expect(await closed).toMatch(/^HTTP\/1.1 408 .*"detail":"the request did not arrive in time"/s);
    expect((await server.get('/health')).status).toBe(200);
  });

  test('may take its time within the limit', async () => {
    const server = await startServer({ limits: { headersMs: 10 * LIMIT_MS, requestMs: 10 * LIMIT_MS } });
    const { socket, closed } = open(server);
    const head = HEAD.replace('Host: localhost', 'Host: localhost\r\nConnection: close');
    for (const part of [head.slice(0, 20), head.slice(20), BODY]) {
      socket.write(part);
      await pause(LIMIT_MS / 10);
    }
    expect(await closed).toMatch(/^HTTP\/1.1 200 OK.*"num_tasks":10/s);
  });
});

describe('an answer that takes long', () => {
  test('is not cut off: the time for requests is over when they have come', async () => {
    const { open: call, tool } = await startGated({ limits: SHORT });
    const stream = call();
    await stream.taskId();
    // Long enough for several looks at the connections.
    await pause(3 * LIMIT_MS);
    tool.open();
    expect((await stream.ended).at(-1)?.event).toBe('end');
  });

  test('is not cut off for a client that reads it slowly', async () => {
    const server = await startServer({ limits: SHORT });
    const sid = await server.create();
    const body = JSON.stringify({ name: 'big', input: { n: 5_000_000, ch: 'x' } });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /math/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Session-ID: ${sid}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await pause(3 * LIMIT_MS);
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toContain('event: end');
    expect(answer.match(/x/g)?.length).toBeGreaterThan(5_000_000);
  });
});

test('L3: a client that reads a large result slowly keeps its session alive', async () => {
  const server = await startServer({ limits: { idleMs: LIMIT_MS }, pingMs: 50 });
  const sid = await server.create();
  const body = JSON.stringify({ name: 'big', input: { n: 8_000_000, ch: 'x' } });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(toRequest('POST /math/call', ['Content-Type: application/json', `X-Session-ID: ${sid}`], body));
  await once(socket, 'readable');
  await pause(3 * LIMIT_MS);
  expect((await server.call(sid, 'echo', { value: 'x' })).status).toBe(200);
});

test('streams that wait behind another on a connection end with it', async () => {
  const { server, sid, tool } = await startGated({ pingMs: 10 });
  const body = JSON.stringify({ name: 'wait', input: {}, task_id: 'mine' });
  const request = toRequest('POST /gated/call', ['Content-Type: application/json', `X-Session-ID: ${sid}`], body);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  // Until the stream of the first has begun, and the others have been taken.
  socket.write(request.repeat(20));
  await once(socket, 'data');
  await pause(50);
  socket.destroy();
  await pause(50);
  const writes = vi.spyOn(ServerResponse.prototype, 'write');
  onTestFinished(() => writes.mockRestore());
  await pause(100);
  expect(writes).not.toHaveBeenCalled();
  tool.open();
});
