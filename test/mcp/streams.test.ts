import { expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { ERAS, modernRpc, RPC, rpc, textOfResult } from './rpc.ts';
import { startMcp } from './server.ts';

test.each(ERAS)('M24: several streams of one episode are open at the same time (%s era)', async (era) => {
  const { open, tool } = await startMcp();
  const { url } = await open();
  const ask = RPC[era];
  const waiting = ask(url, 'tools/call', { name: 'wait' }, { id: 'w' });
  await tool.reached;
  const listed = await Promise.all([1000, 1001, 1002].map((id) => ask(url, 'tools/list', {}, { id })));
  for (const [at, { status, headers, json }] of listed.entries()) {
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(json).toMatchObject({ id: 1000 + at, result: { tools: expect.any(Array) } });
  }
  tool.open();
  expect(textOfResult((await waiting).json.result)).toBe('waited');
});

test('M12: a call that is cancelled while it waits for its turn is answered at once, and never runs', async () => {
  const { open, get, tool, trace } = await startMcp();
  const { url } = await open();
  const call = (id: number) => rpc(url, 'tools/call', { name: 'wait' }, { id });
  const first = call(1);
  await tool.reached;
  const [second, third] = [call(2), call(3)];
  await waitingCalls(get, 2);
  expect((await rpc(url, 'notifications/cancelled', { requestId: 2 })).status).toBe(202);
  // The gate is still closed.
  const { result } = (await second).json;
  expect(result.isError).toBe(true);
  expect(textOfResult(result)).toContain('cancelled before it ran');
  await waitingCalls(get, 1);
  tool.open();
  for (const { json } of await Promise.all([first, third])) expect(textOfResult(json.result)).toBe('waited');
  expect(trace).toEqual(['wait', 'wait ended', 'wait', 'wait ended']);
});

test('M12: so is the call of a client of the modern era that leaves', async () => {
  const { open, get, tool, trace } = await startMcp();
  const { url } = await open();
  const first = modernRpc(url, 'tools/call', { name: 'wait' });
  await tool.reached;
  const leaving = new AbortController();
  const left = modernRpc(url, 'tools/call', { name: 'wait' }, { id: 2, signal: leaving.signal });
  await waitingCalls(get, 1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await waitingCalls(get, 0);
  tool.open();
  expect(textOfResult((await first).json.result)).toBe('waited');
  expect(trace).toEqual(['wait', 'wait ended']);
});

async function waitingCalls(get: (path: string) => Promise<{ text: string }>, count: number): Promise<void> {
  await eventually(async () =>
    expect((await get('/metrics')).text).toMatch(new RegExp(`^tiltyard_calls_waiting ${count}$`, 'm')),
  );
}
