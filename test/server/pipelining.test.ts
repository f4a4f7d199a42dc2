import { once } from 'node:events';
import { environment } from 'tiltyard';
import { expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { heldBy, openDeaf } from '../support/deaf.ts';
import { gate } from '../support/gate.ts';
import { startServer } from '../support/http.ts';
import { toRequest } from '../support/raw.ts';

const PROMPT = 60_000;

function environmentWith(prompt: () => string | Promise<string>) {
  return environment({ name: 'long', splits: { train: [{ id: 1 }] }, prompt, tools: { look: { run: () => 'seen' } } });
}

test('of many requests that come at once, few are handled until their answers are read, and these count', async () => {
  const server = await startServer({ environments: [environmentWith(() => 'x'.repeat(PROMPT))] });
  const sid = await server.create();
  const before = await heldBy(server);
  const socket = openDeaf(server);
  const count = 400;
  socket.write(toRequest('GET /long/prompt', [`X-Session-ID: ${sid}`]).repeat(count));
  await eventually(async () => expect(await heldBy(server)).toBeGreaterThan(before + 5 * PROMPT));
  expect(await heldBy(server)).toBeLessThan((count / 2) * PROMPT);
  let seen = 0;
  socket.on('data', (data) => (seen += data.length)).resume();
  await eventually(() => expect(seen).toBeGreaterThan(count * PROMPT));
  await eventually(async () => expect(await heldBy(server)).toBe(before));
});

test('requests that wait for others are answered in order, also those that are refused for their headers', async () => {
  const made = gate();
  const server = await startServer({
    environments: [environmentWith(async () => made.opened.then(() => 'Hello'))],
  });
  const sid = await server.create();
  const socket = openDeaf(server);
  const paths = Array.from({ length: 60 }, (_, index) => `GET /path-${index}`);
  const first = toRequest('GET /long/prompt', [`X-Session-ID: ${sid}`]);
  socket.write(first + paths.map((path) => toRequest(path)).join(''));
  socket.write(toRequest('GET /health', ['Expect: a-miracle']));
  let text = '';
  socket.on('data', (data) => (text += data)).resume();
  expect((await server.get('/health')).status).toBe(200);
  made.open();
  await once(socket, 'close');
  expect(Array.from(text.matchAll(/^location: \/long(\/.*)\r$/gm), ([, path]) => `GET ${path}`)).toEqual(paths);
  expect(text.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe('HTTP/1.1 417');
});

test('a connection that sends thousands of requests ahead is closed, and no other', async () => {
  const made = gate();
  const server = await startServer({
    environments: [environmentWith(async () => made.opened.then(() => 'Hello'))],
  });
  const sid = await server.create();
  const socket = openDeaf(server).resume();
  socket.write(toRequest('GET /long/prompt', [`X-Session-ID: ${sid}`]));
  socket.write('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(10_000));
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => {}));
  made.open();
  expect((await server.get('/long/prompt', { sid })).status).toBe(200);
});
