import type { RequestListener } from 'node:http';
import { context, trace } from '@opentelemetry/api';
import { tool, toolkit } from 'tiltyard';
import { connect, connectOxp } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { shareTraces } from '../support/traces.ts';

const received = shareTraces();

/** The author's own instrumentation. */
const author = () => trace.getTracer('author');

async function inOwnSpan(name: string): Promise<string> {
  // Whatever is awaited before must not lose the trace.
  await new Promise(setImmediate);
  return author().startActiveSpan(name, async (span) => {
    await Promise.resolve();
    span.end();
    return 'done';
  });
}

function traced(name: string) {
  return minimal({
    name,
    setup: () => inOwnSpan('author setup').then(() => {}),
    tools: {
      look: { run: () => inOwnSpan('author look') },
      crash: {
        run: () => {
          throw new Error('it broke');
        },
      },
    },
  });
}

/** Runs something in a span of the client's and gives the span's id with the result. */
function inClientSpan<Value>(run: () => Promise<Value>): Promise<{ value: Value; traceId: string; spanId: string }> {
  return trace.getTracer('client').startActiveSpan('client', async (span) => {
    const value = await run();
    span.end();
    return { value, ...span.spanContext() };
  });
}

test('a client’s span, the server’s call and the author’s own span are one trace', async () => {
  const server = await startServer({ environments: [traced('nested')] });
  const session = await connect(server.url, { apiKey: '' }).session({ split: 'train', index: 0 });
  const { traceId, spanId } = await inClientSpan(() => session.call('look'));
  await session.close();
  const spans = await received((span) => span.traceId === traceId);
  const [client, call, own] = ['client', 'call look', 'author look'].map((name) =>
    spans.find((span) => span.name === name),
  );
  expect(spans).toHaveLength(3);
  expect(client?.spanId).toBe(spanId);
  expect(call?.parentSpanId).toBe(spanId);
  expect(own?.parentSpanId).toBe(call?.spanId);
  expect(call?.attributes).toMatchObject({
    'tiltyard.sid': session.sid,
    'tiltyard.environment': 'nested',
    'tiltyard.tool': 'look',
    'tiltyard.task_id': expect.stringMatching(/^call-/),
    'tiltyard.outcome': 'returned',
  });
});

test('a session is a span from its creation to its end, with its setup below, and its calls are linked to it', async () => {
  const server = await startServer({ environments: [traced('lived')] });
  const client = connect(server.url, { apiKey: '', environment: 'lived' });
  const begun = await inClientSpan(() => client.session({ split: 'train', index: 0 }));
  const called = await inClientSpan(() => begun.value.call('look'));
  await begun.value.close();
  const spans = await received(({ traceId }) => [begun.traceId, called.traceId].includes(traceId));
  const find = (name: string) => spans.find((span) => span.name === name);
  const session = find('session lived');
  expect(session).toMatchObject({ traceId: begun.traceId, parentSpanId: begun.spanId });
  expect(session?.attributes).toMatchObject({ 'tiltyard.outcome': 'cancelled', 'tiltyard.environment': 'lived' });
  expect(session?.attributes['tiltyard.calls']).toBe(1);
  expect(find('setup')?.parentSpanId).toBe(session?.spanId);
  expect(find('author setup')?.parentSpanId).toBe(find('setup')?.spanId);
  expect(find('call look')?.links).toEqual([session?.spanId]);
});

test('a call of a client that does not trace stands below its session, and a crash is an error', async () => {
  const server = await startServer({ environments: [traced('plain')] });
  const sid = await server.create();
  await server.call(sid, 'look', {}, { env: 'plain' });
  await server.call(sid, 'crash', {}, { env: 'plain' });
  await server.post('/delete', undefined, { sid });
  const spans = await received(({ attributes }) => attributes['tiltyard.sid'] === sid);
  const session = spans.find(({ name }) => name === 'session plain');
  expect(session?.parentSpanId).toBeUndefined();
  expect(session?.status).toBe(2);
  expect(
    spans
      .filter(({ name }) => name.startsWith('call'))
      .map(({ name, parentSpanId, status }) => [name, parentSpanId, status]),
  ).toEqual([
    ['call look', session?.spanId, 0],
    ['call crash', session?.spanId, 2],
  ]);
});

test('a traceparent that any client sends is taken', async () => {
  const server = await startServer({ environments: [traced('foreign')] });
  const sid = await server.create();
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  await server.call(sid, 'look', {}, { env: 'foreign', headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  await server.call(sid, 'look', {}, { env: 'foreign', headers: { traceparent: 'nonsense' } });
  const [call, ...others] = await received((span) => span.traceId === traceId && span.name === 'call look');
  expect(call?.parentSpanId).toBe(spanId);
  expect(others).toEqual([]);
});

test('a call stands below the span that an instrumentation of HTTP has made of its request', async () => {
  const server = await startServer({ environments: [traced('instrumented')] });
  const sid = await server.create();
  const span = trace.getTracer('http').startSpan('POST');
  const { server: http } = server.server.app;
  const [listener] = http.rawListeners('request') as [RequestListener];
  http.off('request', listener);
  http.on('request', (...both) =>
    context.with(trace.setSpan(context.active(), span), () => listener.apply(http, both)),
  );
  await server.call(sid, 'look', {}, { env: 'instrumented' });
  span.end();
  const { traceId, spanId } = span.spanContext();
  const [call] = await received((each) => each.traceId === traceId && each.name === 'call look');
  expect(call?.parentSpanId).toBe(spanId);
});

test('calls over OXP are traced from client to author as well', async () => {
  const box = toolkit({ name: 'Box', tools: { Look: tool({ run: () => inOwnSpan('author box') }) } });
  const { url } = await startServer({ environments: [], toolkits: [box] });
  const { traceId, spanId } = await inClientSpan(() => connectOxp(url).call('Box.Look'));
  const spans = await received((span) => span.traceId === traceId);
  const call = spans.find(({ name }) => name === 'call Box.Look@1.0.0');
  expect(call).toMatchObject({ parentSpanId: spanId, attributes: { 'tiltyard.outcome': 'returned' } });
  expect(spans.find(({ name }) => name === 'author box')?.parentSpanId).toBe(call?.spanId);
});

test('a session that ends during its setup leaves no span open', async () => {
  const server = await startServer({
    environments: [minimal({ name: 'endless', setup: () => new Promise(() => {}) })],
    limits: { graceMs: 10 },
  });
  const sid = await server.create();
  await server.post('/delete', undefined, { sid });
  const spans = await received(({ attributes }) => attributes['tiltyard.sid'] === sid);
  expect(spans.map(({ name }) => name).sort()).toEqual(['session endless', 'setup']);
});
