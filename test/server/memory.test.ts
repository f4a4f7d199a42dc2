import { once } from 'node:events';
import { connect } from 'node:net';
import { environment, toolkit } from 'tiltyard';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/clock.ts';
import { heldBy, openDeaf } from '../support/deaf.ts';
import { expectError } from '../support/errors.ts';
import { gate } from '../support/gate.ts';
import { startServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { openRaw, toRequest } from '../support/raw.ts';
import { startStage } from '../support/stage.ts';

const KB = 1024;
const MB = 1024 * KB;

const echo = environment({
  name: 'echo',
  splits: { train: [{ id: 1 }] },
  task: z.looseObject({}),
  prompt: () => '',
  tools: {
    make: { input: z.object({ bytes: z.int() }), maxOutputBytes: 64 * MB, run: ({ bytes }) => 'x'.repeat(bytes) },
  },
});

const kit = toolkit({
  name: 'Echo',
  tools: {
    Make: {
      version: '1.0.0',
      input: z.object({ bytes: z.int() }),
      maxOutputBytes: 64 * MB,
      run: ({ bytes }) => 'x'.repeat(bytes),
    },
  },
});

function toTask(bytes: number): object {
  return { task_spec: { text: 'x'.repeat(bytes) } };
}

describe('tasks and secrets', () => {
  test('count while their session lives: beyond the limit, 503, and nothing has begun', async () => {
    const server = await startServer({ environments: [echo], limits: { maxMemoryBytes: MB } });
    await server.create(toTask(200 * KB), 'a');
    const refused = await server.post('/create', toTask(200 * KB), { sid: 'b' });
    expectError(refused, 503, 'the server holds as much for its clients as it may');
    expect(refused.json.code).toBe('memory_used');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await server.post('/ping', {}, { sid: 'b' })).status).toBe(404);
    // Sessions that are there go on, and small ones begin.
    expect((await server.call('a', 'make', { bytes: 5 }, { env: 'echo' })).result).toMatchObject({ ok: true });
    await server.create({ split: 'train', index: 0 }, 'c');
    await server.post('/delete', {}, { sid: 'a' });
    await server.create(toTask(200 * KB), 'b');
  });

  test('count for what they take when they are parsed: many small values take more than their text', async () => {
    const server = await startServer({ environments: [echo] });
    const before = await heldBy(server);
    const list = Array.from({ length: 50_000 }, () => ({}));
    await server.create({ task_spec: { list } }, 'a');
    expect((await heldBy(server)) - before).toBeGreaterThan(64 * list.length);
    const text = JSON.stringify(list);
    await server.create({ task_spec: { text } }, 'b');
    expect((await heldBy(server)) - before).toBeLessThan(200 * list.length);
  });

  test('of one identity leave room for those of another: beyond its share, 429', async () => {
    const apiKeys = ['the-key-of-anna-1234', 'the-key-of-bert-1234'];
    const server = await startServer({ environments: [echo], auth: { apiKeys }, limits: { maxMemoryBytes: 2 * MB } });
    const create = (key: number, sid: string) =>
      server.post('/create', toTask(200 * KB), { sid, headers: { 'x-api-key': apiKeys[key] ?? '' } });
    expect((await create(0, 'a')).status).toBe(200);
    const refused = await create(0, 'b');
    expectError(refused, 429, 'that one identity may use');
    expect([refused.json.code, refused.headers.get('retry-after')]).toEqual(['memory_share_used', '5']);
    expect((await create(1, 'a')).status).toBe(200);
  });

  test('in secrets count as well, and everything is given back when sessions end', async () => {
    const server = await startServer({ environments: [echo] });
    const before = await heldBy(server);
    const secrets = { A: 'x'.repeat(60_000), B: 'y'.repeat(60_000) };
    await server.create({ split: 'train', index: 0, secrets }, 'a');
    expect((await heldBy(server)) - before).toBeGreaterThan(240_000);
    await server.post('/delete', {}, { sid: 'a' });
    expect(await heldBy(server)).toBe(before);
    // Neither does a session that could not begin keep anything.
    await server.post('/create', { ...toTask(MB), split: 'train' }, { sid: 'a' });
    expect(await heldBy(server)).toBe(before);
  });
});

describe('a large body', () => {
  const head = (line: string, headers: readonly string[]) =>
    toRequest(line, ['Content-Type: application/json', `Content-Length: ${MB}`, ...headers]);

  test('for a session that does not exist is refused before it is read', async () => {
    const server = await startServer({ environments: [echo] });
    const raw = openRaw(server);
    onTestFinished(() => raw.close());
    expectError(await raw.send(head('POST /echo/call', ['X-Session-ID: nobody'])), 404, "no session 'nobody'");
  });

  test('for which there is no memory is refused before it is read', async () => {
    const server = await startServer({ environments: [echo], limits: { maxMemoryBytes: MB } });
    await server.create(toTask(100 * KB), 'a');
    const raw = openRaw(server);
    onTestFinished(() => raw.close());
    expectError(await raw.send(head('POST /echo/call', ['X-Session-ID: a'])), 503, 'Try again later');
    // What the client sends nevertheless is thrown away, and the connection is as good as before.
    expect((await raw.send('x'.repeat(MB) + toRequest('GET /health'))).status).toBe(200);
  });

  test('that does not say how large it is counts as it comes', async () => {
    const server = await startServer({ environments: [echo], limits: { maxMemoryBytes: MB } });
    const raw = openRaw(server);
    onTestFinished(() => raw.close());
    const chunk = `${(128 * KB).toString(16)}\r\n${'x'.repeat(128 * KB)}\r\n`;
    const start = toRequest('POST /create', [
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'X-Session-ID: a',
    ]);
    const refused = await raw.send(start + chunk.repeat(9));
    expectError(refused, 503, 'Try again later');
  });

  test('whose client leaves in the middle is no error of the server, and gives its memory back', async () => {
    const lines = logLines();
    const server = await startServer({ environments: [echo], logger: lines.logger });
    const before = await heldBy(server);
    const socket = openDeaf(server);
    socket.write(head('POST /create', ['X-Session-ID: a']) + 'x'.repeat(MB / 2));
    await eventually(async () => expect(await heldBy(server)).toBeGreaterThan(before));
    socket.destroy();
    await eventually(async () => expect(await heldBy(server)).toBe(before));
    expect(lines.text()).not.toContain('"level":50');
  });

  test('over OXP is refused in the words of OXP', async () => {
    const server = await startServer({ environments: [], toolkits: [kit], limits: { maxMemoryBytes: MB } });
    const input = { bytes: 5, more: 'x'.repeat(2 * MB) };
    const refused = await server.post('/tools/call', {
      $schema: 'urn:oxp:1.0',
      request: { tool_id: 'Echo.Make', input },
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([400, '5']);
    expect(refused.json).toMatchObject({ $schema: 'urn:oxp:1.0', message: 'The server is temporarily unavailable' });
  });
});

describe('a result that its client does not read', () => {
  const ask = (sid: string, bytes: number) => {
    const body = JSON.stringify({ name: 'make', input: { bytes } });
    return toRequest('POST /echo/call', ['Content-Type: application/json', `X-Session-ID: ${sid}`], body);
  };

  test('counts until it is read, and arrives whole', async () => {
    const server = await startServer({ environments: [echo] });
    const sid = await server.create();
    const socket = openDeaf(server);
    socket.write(ask(sid, 20 * MB));
    await eventually(async () => expect(await heldBy(server)).toBeGreaterThan(39 * MB));
    let seen = 0;
    socket.on('data', (data) => (seen += data.length)).resume();
    await eventually(() => expect(seen).toBeGreaterThan(20 * MB));
    // What is left is the result that is kept.
    await eventually(async () => expect(await heldBy(server)).toBeLessThan(22 * MB));
  });

  test('is cut off by the next one when there is no memory, and the newest is always sent', async () => {
    const server = await startServer({ environments: [echo], limits: { maxMemoryBytes: 50 * MB } });
    const sid = await server.create();
    const first = openDeaf(server);
    first.write(ask(sid, 20 * MB));
    await eventually(async () => expect(await heldBy(server)).toBeGreaterThan(39 * MB));
    const { result } = await server.call(sid, 'make', { bytes: 30 * MB }, { env: 'echo' });
    expect(result).toMatchObject({ ok: true });
    first.resume();
    await once(first, 'close');
    expect((await server.get('/metrics')).text).toMatch(/^tiltyard_stalled_connections_closed_total 1$/m);
  });

  test('over OXP counts in the same way', async () => {
    const server = await startServer({ environments: [], toolkits: [kit] });
    const request = { tool_id: 'Echo.Make', call_id: 'a', input: { bytes: 20 * MB } };
    const body = JSON.stringify({ $schema: 'urn:oxp:1.0', request });
    const socket = openDeaf(server);
    socket.write(toRequest('POST /tools/call', ['Content-Type: application/json'], body));
    await eventually(async () => expect(await heldBy(server)).toBeGreaterThan(39 * MB));
    socket.destroy();
    await eventually(async () => expect(await heldBy(server)).toBeLessThan(22 * MB));
    const again = await server.post('/tools/call', { $schema: 'urn:oxp:1.0', request });
    expect(again.json.result.value).toHaveLength(20 * MB);
  });

  test('may be a list of tasks: it is refused if there is no memory for it', async () => {
    const many = environment({
      name: 'many',
      splits: { train: Array.from({ length: 100 }, (_, id) => ({ id, text: 'é'.repeat(200 * KB) })) },
      prompt: () => '',
      tools: { look: { input: z.object({}), run: () => 'nothing' } },
    });
    const server = await startServer({ environments: [many], limits: { maxMemoryBytes: 30 * MB } });
    const list = () => server.post('/many/tasks', { split: 'train' });
    const whole = await list();
    expect(whole.json.tasks[99]).toEqual({ id: 99, text: 'é'.repeat(200 * KB) });
    expect(Number(whole.headers.get('content-length'))).toBe(Buffer.byteLength(whole.text));
    // Until its client has read it, another one is too much.
    const deaf = openDeaf(server);
    const body = JSON.stringify({ split: 'train' });
    deaf.write(toRequest('POST /many/tasks', ['Content-Type: application/json'], body));
    await eventually(async () => {
      const answer = await list();
      expectError(answer, 503, 'Try again later');
    });
  });
});

test('an answer whose client has left before it was made counts nowhere', async () => {
  const asked = gate();
  const made = gate();
  const slow = environment({
    name: 'slow',
    splits: { train: [{ id: 1 }] },
    async prompt() {
      asked.open();
      await made.opened;
      return 'x'.repeat(MB);
    },
    tools: { look: { input: z.object({}), run: () => 'nothing' } },
  });
  const server = await startServer({ environments: [slow] });
  const sid = await server.create();
  const before = await heldBy(server);
  const socket = openDeaf(server);
  socket.write(toRequest('GET /slow/prompt', [`X-Session-ID: ${sid}`]));
  await asked.opened;
  socket.destroy();
  // The server has heard of it when it has the line of the request.
  await eventually(async () => expect((await server.get('/metrics')).text).toMatch(/prompt".*status="499"/));
  made.open();
  expect((await server.get('/slow/prompt', { sid })).status).toBe(200);
  await eventually(async () => expect(await heldBy(server)).toBe(before));
});

test('a connection with a hundred unanswered requests is not read further, and gets all answers in the end', async () => {
  const stage = await startStage();
  const { server, sid } = stage;
  const body = JSON.stringify({ name: 'together', input: { tag: 'a' }, task_id: 'again' });
  const request = toRequest('POST /stage/call', ['Content-Type: application/json', `X-Session-ID: ${sid}`], body);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const count = 20_000;
  socket.write(request.repeat(count));
  await stage.gate('a').reached;
  // The buffers of both ends take a part of them.
  expect(socket.writableLength).toBeGreaterThan(0);
  let answers = 0;
  socket.on('data', (data) => (answers += String(data).split('event: end').length - 1));
  stage.gate('a').open();
  await vi.waitFor(() => expect(answers).toBe(count), { timeout: 40_000, interval: 50 });
  expect(stage.trace.filter((event) => event === 'together a')).toHaveLength(1);
}, 60_000);
