import type { ServerResponse } from 'node:http';
import { tool, toolkit } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startHostile } from '../support/hostile.ts';
import { startServer } from '../support/http.ts';
import { openStudio, type TestStudio } from './studio-client.ts';
import { type Table, tableOf } from './table.ts';

const MB = 2 ** 20;
const ECHO = 'Calc.Echo@1.0.0';

/** Begins a play on a server that lists its tools as it should, and answers calls as it likes. */
async function playing(answerCall: (response: ServerResponse) => void): Promise<{ studio: TestStudio; table: Table }> {
  const echo = tool({ description: 'Echo.', version: '1.0.0', input: z.object({}), run: () => 'echo' });
  const real = await startServer({ environments: [], toolkits: [toolkit({ name: 'Calc', tools: { Echo: echo } })] });
  const { text } = await real.get('/tools');
  const { url } = await startHostile(({ request, response }) => {
    if (request.method === 'POST') return answerCall(response);
    response.writeHead(request.url === '/tools' ? 200 : 404, { 'content-type': 'application/json' }).end(text);
  });
  const studio = await openStudio({ targets: [{ name: url, url, apiKey: 'the-key-1234567890', isModule: false }] });
  const { id } = await studio.ask('POST /api/plays', {}, { body: { target: 't1', subject: { kind: 'tools' } } });
  const table = tableOf(studio, id);
  expect(await table.ready()).toMatchObject({ status: 'ready' });
  return { studio, table };
}

test('U2: an answer without end is not read on after its step has failed', async () => {
  let poured = 0;
  const closed: Promise<void>[] = [];
  const { studio, table } = await playing((response) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)));
    const piece = Buffer.alloc(64 * 1024, 'x');
    const write = () => {
      while (!response.destroyed && poured < 600 * MB) {
        poured += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
    };
    response.writeHead(400, { 'content-type': 'application/json' });
    write();
  });
  expect(await table.call(ECHO)).toMatchObject({ status: 'failed' });
  await Promise.all(closed);
  expect(poured).toBeLessThan(64 * MB);
  const [exchange] = await studio.ask('GET /api/plays/:play/steps/:step/wire', { play: table.id, step: 0 });
  expect(exchange).toMatchObject({ ms: expect.any(Number), error: null, response: { status: 400 } });
  expect(exchange?.response?.body.length).toBe(256 * 1024);
  expect(exchange?.response?.cut).toBeGreaterThan(0);
});

test('U2: an answer that breaks is noted as far as it came, with keys taken out across pieces', async () => {
  const { studio, table } = await playing(async (response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'content-length': 1_000 });
    for (const piece of ['"é the-key-', '1234567890']) await new Promise((resolve) => response.write(piece, resolve));
    response.destroy();
  });
  expect(await table.call(ECHO)).toMatchObject({ status: 'failed' });
  const wire = await studio.ask('GET /api/plays/:play/steps/:step/wire', { play: table.id, step: 0 });
  expect(wire[0]).toMatchObject({ ms: expect.any(Number), error: expect.stringContaining('Error') });
  expect(wire[0]?.response?.body).toMatch(/^"é /);
  expect(JSON.stringify(wire)).not.toContain('1234567890');
});

test('U2: where the wire is cut off, half a key is not left', async () => {
  // One of them is cut in two, wherever the cut is.
  const keys = 'the-key-1234567890'.repeat(20_000);
  const { studio, table } = await playing((response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ message: keys }));
  });
  expect(await table.call(ECHO, { keys })).toMatchObject({ status: 'failed' });
  const [exchange] = await studio.ask('GET /api/plays/:play/steps/:step/wire', { play: table.id, step: 0 });
  expect(exchange?.response?.body).toBe('{"message":"[secret]');
  expect(exchange?.response?.cut).toBe(20_000 * 18 + 14 - 256 * 1024);
  expect(exchange?.request.body).toMatch(/"keys":"\[secret\]$/);
});
