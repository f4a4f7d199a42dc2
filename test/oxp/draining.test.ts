import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { gated } from '../support/gates.ts';
import { type Answer, client } from '../support/http.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { toAnswer } from './attempts.ts';
import { expectDescribed } from './described.ts';
import { startToolServer, type ToolServer } from './support.ts';

/** A request all of which has come but its last byte: the server waits for it, also while it stops. */
interface Held {
  finish(): Promise<Answer>;
}

async function hold(server: ToolServer, line: string, body = ''): Promise<Held> {
  const { hostname, port } = new URL(server.url);
  const arriving = once(server.server.app.server, 'connection') as Promise<[Socket]>;
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const request = toRequest(line, ['Connection: close', 'Content-Type: application/json'], body);
  socket.write(request.slice(0, -1));
  const [arrived] = await arriving;
  await eventually(() => expect(arrived.bytesRead).toBe(Buffer.byteLength(request) - 1));
  return {
    async finish() {
      socket.write(request.slice(-1));
      const packets = await socket.toArray();
      return toAnswer(Buffer.concat(packets).toString()) as Answer;
    },
  };
}

/** Begins to stop a server, and resolves when it has begun. */
async function beginToStop(server: ToolServer): Promise<{ stopped: Promise<void> }> {
  const running = server.call({ tool_id: 'Slow.Wait', input: { tag: 'stop' } });
  await server.gate('stop').reached;
  const { signal } = server.last('Slow.Wait@1.0.0').context;
  const aborted = once(signal, 'abort');
  const stopped = server.server.close();
  await aborted;
  const { result } = (await running).json;
  expect(result).toMatchObject({ success: false, error: { developer_message: 'Error: the server is stopping' } });
  return { stopped };
}

const SUM = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } };

describe('a server that stops', () => {
  test.each([
    [undefined, 400],
    [400, 400],
    [503, 503],
  ] as const)('OXP E7: with unavailableStatus %s it takes no calls, whatever they are', async (option, status) => {
    const server = await startToolServer({ oxp: option === undefined ? {} : { unavailableStatus: option } });
    const done = await server.call({ ...SUM, call_id: 'done' });
    const requests = [SUM, { ...SUM, input: {} }, { tool_id: 'Nobody.Knows' }, { tool_id: '' }];
    const held: Held[] = [];
    for (const request of requests) held.push(await hold(server, 'POST /tools/call', JSON.stringify({ request })));
    const malformed = await hold(server, 'POST /tools/call', '{"request":5}');
    const repeat = { request: { ...SUM, call_id: 'done' } };
    const repeated = await hold(server, 'POST /tools/call', JSON.stringify(repeat));
    const { stopped } = await beginToStop(server);
    const before = server.runs.length;
    for (const { finish } of held) {
      const answer = await finish();
      expectDescribed('POST', '/tools/call', answer);
      expect([answer.status, answer.json.message]).toEqual([status, 'The server is temporarily unavailable']);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect((await malformed.finish()).json.message).toBe('The request is not valid');
    // Its result is kept, and nothing has to run for it.
    expect((await repeated.finish()).json).toEqual(done.json);
    expect(server.runs.length).toBe(before);
    await stopped;
  });

  test('OXP O1: it is not healthy', async () => {
    const server = await startToolServer();
    const held = await hold(server, 'GET /health');
    const { stopped } = await beginToStop(server);
    const { status, json } = await held.finish();
    expect([status, json.status]).toEqual([503, 'stopping']);
    await stopped;
  });

  test('OXP O1, E7: tools stop with the environments beside them, not after their teardowns', async () => {
    const { environments, teardown } = gated();
    const server = await startToolServer({ environments, oxp: { unavailableStatus: 503 } });
    await client(server.url).create({ task_spec: { gates: ['teardown'] } });
    const stopped = server.server.close();
    await teardown.reached;
    const before = server.runs.length;
    expect((await server.call(SUM)).status).toBe(503);
    expect((await server.get('/health')).status).toBe(503);
    expect(server.runs.length).toBe(before);
    teardown.open();
    await stopped;
  });

  test('OXP E7: it does not run what it was still checking', async () => {
    const server = await startToolServer();
    const running = server.call({ tool_id: 'Slow.Pondered', call_id: 'p', input: { tag: 'p' } });
    await server.gate('p').reached;
    const { stopped } = await beginToStop(server);
    server.gate('p').open();
    expect((await running).json.result.success).toBe(false);
    expect(server.count('Slow.Pondered@1.0.0')).toBe(0);
    await stopped;
  });
});

test('OXP E7: a server that runs all the calls it may takes no more, but repeats', async () => {
  const { call, gate } = await startToolServer({ limits: { maxToolkitCalls: 2 } });
  const wait = (tag: string) => call({ tool_id: 'Slow.Wait', call_id: tag, input: { tag } });
  const running = [wait('a'), wait('b')];
  await Promise.all([gate('a').reached, gate('b').reached]);
  const { status, headers, json } = await call(SUM);
  expect([status, json.message]).toEqual([400, 'The server is temporarily unavailable']);
  expect(json.developer_message).toBe('too many calls are running');
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  const repeated = wait('a');
  gate('a').open();
  const [{ json: first }, { json: second }] = await Promise.all([running[0] as Promise<Answer>, repeated]);
  expect(second).toEqual(first);
  expect((await call(SUM)).status).toBe(200);
  gate('b').open();
  await running[1];
});

describe('bodies that are too large', () => {
  const LIMIT = 1_000;
  const padded = (bytes: number) => JSON.stringify({ request: SUM }).padEnd(bytes, ' ');

  test('OXP E7: one byte more than the limit is 413 in the words of OXP', async () => {
    const { request, runs } = await startToolServer({ limits: { bodyBytes: LIMIT } });
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/tools/call', '/call']) {
      expect((await request('POST', path, { headers, raw: padded(LIMIT) })).status).toBe(200);
      const { status, json } = await request('POST', path, { headers, raw: padded(LIMIT + 1) });
      expect([status, json.message]).toEqual([413, 'The request is too large']);
    }
    expect(runs).toHaveLength(2);
  });

  test('OXP E7: a body of unknown length is 413 once it is too long', async () => {
    const server = await startToolServer({ limits: { bodyBytes: LIMIT } });
    const head = toRequest('POST /tools/call', ['Transfer-Encoding: chunked', 'Content-Type: application/json']);
    const answer = await exchange(server, `${head}800\r\n${' '.repeat(0x800)}\r\n0\r\n\r\n`);
    expectDescribed('POST', '/tools/call', answer);
    expect(answer.status).toBe(413);
  });

  test('OXP E7: 100 MB are 413 as soon as they are announced', async () => {
    const server = await startToolServer();
    const headers = ['Content-Length: 104857600', 'Content-Type: application/json'];
    const answer = await exchange(server, toRequest('POST /tools/call', headers));
    expectDescribed('POST', '/tools/call', answer);
    expect(answer.status).toBe(413);
  });
});
