import type { ServerResponse } from 'node:http';
import { OutcomeUnknown } from 'tiltyard/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, openSession, rejection } from '../support/client.ts';
import {
  type Exchange,
  envelope,
  type ForeignServer,
  json,
  openStream,
  SERVER_ID,
  startForeign,
  stream,
  toPythonEvents,
} from '../support/foreign.ts';
import { gate } from '../support/gate.ts';
import { startServer } from '../support/http.ts';

// What the official client garbles: indentation at the start of a chunk, and characters of several bytes.
const TEXT = `def f():\n${'    return "é 漢字 😀"\n'.repeat(40)}`;

/** The events of a result as the official server cuts it: every so many code points, wherever that is. */
function pythonChunks(json: string, size: number): [string, string][] {
  const points = [...json];
  const count = Math.ceil(points.length / size);
  return Array.from({ length: count }, (_, index) => [
    index === count - 1 ? 'end' : 'chunk',
    points.slice(index * size, (index + 1) * size).join(''),
  ]);
}

/** Writes packets one by one, each in a packet of its own. */
async function writePackets({ response }: Exchange, packets: Iterable<Uint8Array>): Promise<void> {
  response.socket?.setNoDelay(true);
  openStream(response).flushHeaders();
  for (const packet of packets) {
    response.write(packet);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

function* bytesOf(text: string): Generator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

test('K2: a stream of the official server is read whole, byte by byte, with CRLF and comments between', async () => {
  const events = toPythonEvents(['task_id', SERVER_ID], ...pythonChunks(envelope(TEXT), 100));
  const withPings = events.replaceAll('\r\n\r\n', '\r\n\r\n: ping - 2025-01-01 00:00:00+00:00\r\n\r\n');
  const server = await startForeign({ 'POST /math/call': (exchange) => writePackets(exchange, bytesOf(withPings)) });
  expect(await (await openSession(server)).call('add')).toMatchObject({ text: TEXT, taskId: SERVER_ID });
});

test('K2: chunks that begin with spaces arrive with every one of them', async () => {
  const text = '        '.repeat(600);
  const events = pythonChunks(envelope(text), 7);
  expect(events.filter(([, data]) => data.startsWith('    '))).not.toHaveLength(0);
  const server = await startForeign({ 'POST /math/call': stream(['task_id', SERVER_ID], ...events) });
  expect((await (await openSession(server)).call('add')).text).toBe(text);
});

test('K3: chunks of a broken stream are no part of the result', async () => {
  const chunks = pythonChunks(envelope(TEXT), 100);
  const server = await startForeign({
    'POST /math/call': (exchange) => {
      if (exchange.count === 3) return stream(['task_id', SERVER_ID], ...chunks)(exchange);
      const { response, count } = exchange;
      const part = toPythonEvents(['task_id', SERVER_ID], ...chunks.slice(0, count * 3)).slice(0, -10 * count);
      openStream(response).write(part, () => response.destroy());
    },
  });
  expect((await (await openSession(server)).call('add')).text).toBe(TEXT);
  expect(server.on('/math/call')).toHaveLength(3);
});

test('K3: a stream that ends as it should, but without its result, counts as broken', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) =>
      (exchange.count === 1
        ? stream(['task_id', SERVER_ID], ['chunk', '{"ok":'])
        : stream(['task_id', SERVER_ID], ['end', envelope('done')]))(exchange),
  });
  expect(await (await openSession(server)).call('add')).toMatchObject({ text: 'done' });
});

test('K4: after a drop the call is asked for by its id, with the same name and input', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) => {
      if (exchange.count === 2) return stream(['task_id', SERVER_ID], ['end', envelope('done', 1)])(exchange);
      const { response } = exchange;
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID]), () => response.destroy());
    },
  });
  expect(await (await openSession(server)).call('add', { a: 1 })).toMatchObject({ text: 'done', reward: 1 });
  expect(server.on('/math/call').map(({ body }) => body)).toEqual([
    { name: 'add', input: { a: 1 } },
    { name: 'add', input: { a: 1 }, task_id: SERVER_ID },
  ]);
});

test('K5: this server announces that clients may choose ids, and then the first request carries one', async () => {
  const server = await startServer();
  const session = await openSession(server);
  const { taskId } = await session.call('noargs');
  expect(taskId).toMatch(/^call-[0-9a-f]{32}$/);
  expect((await server.call(session.sid, 'boom', {}, { taskId })).result?.output).toMatchObject({
    blocks: [{ text: 'nothing needed' }],
  });
  expect(server.counters.runs).toEqual({ noargs: 1 });
});

test('K5: a server that takes no ids of calls from clients does not announce them', async () => {
  const server = await startServer({ sessions: { clientTaskIds: 'refuse' } });
  for (const path of ['/create_session', '/create']) {
    const { headers } = await server.post(path, { split: 'train', index: 0 }, { sid: 'a-sid' });
    expect(headers.get('ors-features')).toBe('client-session-id');
  }
  expect((await (await openSession(server)).call('noargs')).taskId).toMatch(/^[0-9a-f]{32}$/);
});

test('K5: without ids of the client, a drop before the task_id is OutcomeUnknown, and nothing is repeated', async () => {
  const server = await startForeign({ 'POST /math/call': ({ response }) => response.destroy() });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error.message).toBe("the connection failed before the server named the call of 'add': it may have run");
  expect(server.on('/math/call')).toHaveLength(1);
});

test('K5: a caller who does not mind may have such a call repeated', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) =>
      exchange.count < 3
        ? exchange.response.destroy()
        : stream(['task_id', SERVER_ID], ['end', envelope('done')])(exchange),
  });
  expect(await (await openSession(server, { onUnknown: 'repeat' })).call('add')).toMatchObject({ text: 'done' });
});

test.each([502, 503, 504])(
  'K5: without ids of the client, a %i of a gateway leaves the outcome unknown',
  async (status) => {
    const server = await startForeign({ 'POST /math/call': json({ detail: 'gateway' }, status) });
    expect(await rejection((await openSession(server)).call('add'))).toBeInstanceOf(OutcomeUnknown);
    expect(server.on('/math/call')).toHaveLength(1);
  },
);

test('K5: a call that was refused for want of room (429) has not run, and is repeated', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) =>
      (exchange.count < 3 ? json({ detail: 'full' }, 429) : stream(['task_id', SERVER_ID], ['end', envelope('done')]))(
        exchange,
      ),
  });
  expect(await (await openSession(server)).call('add')).toMatchObject({ text: 'done' });
});

test('K5: a server that announces ids of clients and refuses the first has run nothing, and is asked without', async () => {
  const server = await startForeign({
    'POST /create': ({ response }) => response.setHeader('ors-features', 'other, client-task-id').end('{"sid":"x"}'),
    'POST /math/call': (exchange) =>
      stream(
        ...(exchange.seen.body.task_id === undefined
          ? ([
              ['task_id', SERVER_ID],
              ['end', envelope('done')],
            ] as const)
          : ([['error', 'unknown task_id']] as const)),
      )(exchange),
  });
  const session = await openSession(server);
  // Together: one must not take what the other has learnt for what itself has asked.
  for (const { text, taskId } of await Promise.all([session.call('add'), session.call('add')])) {
    expect([text, taskId]).toEqual(['done', SERVER_ID]);
  }
  expect(await session.call('add')).toMatchObject({ text: 'done' });
  const own = server.on('/math/call').filter(({ body }) => body.task_id !== undefined);
  expect([own.length, server.on('/math/call').length]).toEqual([2, 5]);
  expect(own[0]?.body.task_id).toMatch(/^call-/);
});

/** Stops the clock that silence is measured with; sockets go on. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Waits for what comes by itself while the clock stands still. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  // Once more, for those who were told in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
}

/** Lets a little time pass, in steps, until the server has been asked so often. */
async function untilAsked(server: ForeignServer, count: number): Promise<void> {
  const latest = Date.now() + 20_000;
  while (server.on('/math/call').length < count) {
    expect(Date.now()).toBeLessThan(latest);
    await vi.advanceTimersByTimeAsync(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A server whose first stream is silent but for what the test says; a session on it, and whether it has heard all. */
async function startSilent() {
  let sent = 0;
  let heard = 0;
  const answers: ServerResponse[] = [];
  const server = await startForeign({
    'POST /math/call': (exchange) => {
      if (exchange.count > 1) return stream(['task_id', SERVER_ID], ['end', envelope('done')])(exchange);
      answers.push(openStream(exchange.response));
      say(toPythonEvents(['task_id', SERVER_ID]));
    },
  });
  const say = (text: string) => {
    sent += text.length;
    answers[0]?.write(text);
  };
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(packet, controller) {
      heard += packet.length;
      controller.enqueue(packet);
    },
  });
  const session = await openSession(server, {
    silenceMs: undefined,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const isFirst = url.endsWith('/call') && !count.readable.locked;
      return isFirst ? new Response(response.body?.pipeThrough(count), response) : response;
    },
  });
  return { server, session, say, heardAll: () => until(() => sent > 0 && heard === sent) };
}

test('K6: by default, 30 s without a byte count as a drop', async () => {
  stopClock();
  const { server, session, heardAll } = await startSilent();
  const called = session.call('add');
  await heardAll();
  await vi.advanceTimersByTimeAsync(29_900);
  expect(server.on('/math/call')).toHaveLength(1);
  await untilAsked(server, 2);
  expect(await called).toMatchObject({ text: 'done' });
});

test('K6: comments are signs of life, silence is none', async () => {
  stopClock();
  const { server, session, say, heardAll } = await startSilent();
  const called = session.call('add');
  await heardAll();
  for (let count = 0; count < 10; count += 1) {
    await vi.advanceTimersByTimeAsync(20_000);
    say(': ping\r\n\r\n');
    await heardAll();
  }
  await vi.advanceTimersByTimeAsync(29_900);
  expect(server.on('/math/call')).toHaveLength(1);
  await untilAsked(server, 2);
  expect(await called).toMatchObject({ text: 'done' });
});

test('K6: a call that can be repeated safely is not waited for in silence before its answer begins either', async () => {
  const server = await startForeign({
    'POST /create': ({ response }) => response.setHeader('ors-features', 'client-task-id').end('{"sid":"x"}'),
    'POST /math/call': (exchange) => {
      if (exchange.count >= 2) stream(['task_id', exchange.seen.body.task_id], ['end', envelope('done')])(exchange);
    },
  });
  expect(await (await openSession(server, { silenceMs: 200 })).call('add')).toMatchObject({ text: 'done' });
  const ids = server.on('/math/call').map(({ body }) => body.task_id);
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(1);
});

test('K6: a call that cannot be repeated waits for its answer to begin, however long setup takes', async () => {
  stopClock();
  const ready = gate();
  const server = await startForeign({
    'POST /math/call': async (exchange) => {
      await ready.opened;
      stream(['task_id', SERVER_ID], ['end', envelope('done')])(exchange);
    },
  });
  const called = (await openSession(server, { silenceMs: undefined })).call('add');
  await until(() => server.on('/math/call').length === 1);
  await vi.advanceTimersByTimeAsync(240_000);
  ready.open();
  expect(await called).toMatchObject({ text: 'done' });
  expect(server.on('/math/call')).toHaveLength(1);
});

test('a stream that goes on after its result is not waited for', async () => {
  let closed = false;
  const server = await startForeign({
    'POST /math/call': ({ response }) => {
      const timer = setInterval(() => response.write(': ping\r\n\r\n'), 20);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID], ['end', envelope('done')]));
    },
  });
  expect(await (await openSession(server)).call('add')).toMatchObject({ text: 'done' });
  await eventually(() => expect(closed).toBe(true));
});
