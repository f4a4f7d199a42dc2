import { expect, test } from 'vitest';
import { shareTraces } from '../support/traces.ts';
import { ERAS, RPC } from './rpc.ts';
import { startMcp } from './server.ts';

const received = shareTraces();

const PARENT = 'b7ad6b7169203331';

let traces = 0;

/** A new trace of a client, by its id and as it is sent. */
function newTrace(): { traceId: string; traceparent: string } {
  traces += 1;
  const traceId = traces.toString(16).padStart(32, 'a');
  return { traceId, traceparent: `00-${traceId}-${PARENT}-01` };
}

test.each(ERAS)('M20: calls over MCP are traced like others (%s era)', async (era) => {
  const ask = RPC[era];
  const { open, own, tools, post } = await startMcp();
  const { sid, url } = await open();
  const agent = newTrace();
  await ask(url, 'tools/call', { name: 'look' }, { id: 'abc', headers: { traceparent: agent.traceparent } });
  await ask(url, 'tools/call', { name: 'crash' });
  const named = newTrace();
  await ask(own(`t-${era}`), 'tools/call', { name: 'look' }, { headers: { traceparent: named.traceparent } });
  const kit = newTrace();
  const add = { name: 'Calculator_Add', arguments: { a: 1, b: 2 } };
  await ask(tools, 'tools/call', add, { headers: { traceparent: kit.traceparent } });
  await post('/delete', undefined, { sid });

  const spans = await received(({ attributes }) => attributes['tiltyard.sid'] === sid);
  const session = spans.find(({ name }) => name === 'session quiz');
  const look = spans.find(({ name }) => name === 'call look');
  expect(look).toMatchObject({ traceId: agent.traceId, parentSpanId: PARENT, links: [session?.spanId], status: 0 });
  expect(look?.attributes).toMatchObject({
    'tiltyard.environment': 'quiz',
    'tiltyard.tool': 'look',
    'tiltyard.protocol': 'mcp',
    'tiltyard.mcp_id': 'abc',
    'tiltyard.outcome': 'returned',
  });
  // Without a trace of its own, a call stands below its session; and a crash is an error.
  const crash = spans.find(({ name }) => name === 'call crash');
  expect(crash).toMatchObject({ parentSpanId: session?.spanId, status: 2 });
  // An episode that a call begins belongs to the same trace.
  const begun = await received(({ traceId }) => traceId === named.traceId);
  expect(begun.map(({ name, parentSpanId }) => [name, parentSpanId])).toContainEqual(['call look', PARENT]);
  const [tool] = await received(({ traceId }) => traceId === kit.traceId);
  expect(tool).toMatchObject({ name: 'call Calculator.Add@1.10.0', parentSpanId: PARENT });
  expect(tool?.attributes).toMatchObject({ 'tiltyard.protocol': 'mcp', 'tiltyard.outcome': 'returned' });
});

test.each(ERAS)('M20: a trace in `_meta` counts before the headers (%s era)', async (era) => {
  const { open } = await startMcp();
  const { url } = await open();
  const [told, passed, nonsense] = [newTrace(), newTrace(), newTrace()];
  const call = (traceparent: unknown, by: { traceparent: string }) =>
    RPC[era](url, 'tools/call', { name: 'look', _meta: { traceparent } }, { headers: { traceparent: by.traceparent } });
  expect((await call(told.traceparent, passed)).json.result.isError).toBeUndefined();
  expect((await call(5, nonsense)).json.result.isError).toBeUndefined();
  const spans = await received(({ name }) => name === 'call look');
  const of = ({ traceId }: { traceId: string }) => spans.filter((span) => span.traceId === traceId).length;
  expect([of(told), of(passed), of(nonsense)]).toEqual([1, 0, 1]);
});
