import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MINUTE, SECOND, stopClock } from '../support/clock.ts';
import { startGated } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { arrivals } from '../support/stream.ts';

/** A connection on which a test writes what it likes, and reads nothing. */
function connectTo({ url }: TestServer): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  // A stopping server may cut it off.
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe('a server that stops', () => {
  test('L11: a stopping server ends running and waiting calls, answers who waits for setup, and tears all down', async () => {
    const gates = await startGated();
    const { server, open } = gates;
    const settingUp = await server.create({ task_spec: { gates: ['setup'] } });
    const streams = [open(), open()];
    await Promise.all(streams.map((stream) => stream.taskId()));
    const arrived = arrivals(server, 2);
    const waiting = [
      server.get('/gated/prompt', { sid: settingUp }),
      server.call(settingUp, 'wait', {}, { env: 'gated' }),
    ];
    await arrived;
    await server.server.close();
    for (const stream of streams) expect((await stream.ended).at(-1)?.event).toBe('error');
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(410);
    expect(gates.count('wait')).toBe(1);
    expect([gates.count('teardown'), gates.count('teardown:unset'), gates.count('teardown:end')]).toEqual([1, 1, 2]);
  });

  test('L11: a stopping server takes no new sessions, and says why', async () => {
    const { server, teardown } = await startGated();
    await server.create({ task_spec: { gates: ['teardown'] } });
    const closed = server.server.close();
    await teardown.reached;
    const { status, json } = await server.post('/create', { split: 'train', index: 0 }, { sid: 'late' });
    expect(status).toBe(503);
    expect(json.detail).toContain('stopping');
    teardown.open();
    await closed;
    await expect(server.get('/health')).rejects.toThrow();
  });

  test('L11: a stopping server does not wait for teardowns that hang', async () => {
    const { server, count } = await startGated({ limits: { teardownMs: 20 } });
    const task_spec = { gates: ['teardown'] };
    await Promise.all([server.create({ task_spec }), server.create({ task_spec }), server.create({ task_spec })]);
    await server.server.close();
    expect([count('teardown'), count('teardown:end')]).toEqual([4, 1]);
  });

  test('L11: a stopping server waits for a teardown as long as it may take', async () => {
    const clock = stopClock(['setTimeout', 'clearTimeout']);
    const { server, teardown, trace } = await startGated();
    await server.create({ task_spec: { gates: ['teardown'] } });
    const closed = server.server.close();
    await teardown.reached;
    await clock.pass(29 * SECOND);
    teardown.open();
    await closed;
    expect(trace.filter((event) => event === 'teardown:end')).toHaveLength(2);
  });

  test('L11: a stopping server does not wait for idle connections', async () => {
    // If it did, it would for longer than a test may take.
    const { server, teardown } = await startGated({ limits: { closeMs: MINUTE } });
    const sid = await server.create({ task_spec: { gates: ['teardown'] } });
    // This connection is busy when the server begins to stop, and idle later; clients keep it for a minute.
    const removed = server.post('/delete', undefined, { sid });
    await teardown.reached;
    const closed = server.server.close();
    teardown.open();
    expect((await removed).status).toBe(200);
    await closed;
  });

  test('L11: a stopping server does not wait for ever for a client that has sent half a request', async () => {
    const server = await startServer({ limits: { closeMs: 50 } });
    const socket = connectTo(server);
    const arrived = arrivals(server);
    socket.write('POST /create HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: a\r\nContent-Length: 100\r\n\r\n{"split":');
    await arrived;
    await server.server.close();
  });

  test('L11: a stopping server does not wait for ever for a client that does not read its answer', async () => {
    const server = await startServer({ limits: { closeMs: 50 } });
    const sid = await server.create();
    const socket = connectTo(server);
    const body = JSON.stringify({ name: 'big', input: { n: 20_000_000, ch: 'x' } });
    const arrived = arrivals(server);
    socket.write(
      `POST /math/call HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: ${sid}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await arrived;
    await server.get('/health');
    await server.server.close();
  });
});

test('L12: a process ends by itself after close(), whatever its tools left behind', async () => {
  const program = fileURLToPath(new URL('../support/start-and-close.ts', import.meta.url));
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', program], { timeout: 15 * SECOND });
  await expect(run).resolves.toMatchObject({ stdout: 'closed\n', stderr: '' });
});
