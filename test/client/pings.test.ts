import { SessionTerminated } from 'tiltyard/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, openSession, rejection } from '../support/client.ts';
import { json, openStream, type Route, SERVER_ID, startForeign, toPythonEvents } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

const ok = json({ status: 'ok' });

/** A server whose n-th ping is answered as the test says. */
async function startPinged(answer: (count: number) => Route) {
  return startForeign({ 'POST /ping': (exchange) => answer(exchange.count)(exchange) });
}

/** Stops the clock of pings and of idle sessions; what it gives lets them go out every 10 s. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let answered = 0;
  return {
    async fetch(url: string, init: RequestInit) {
      const response = await fetch(url, init);
      if (url.endsWith('/ping')) answered += 1;
      return response;
    },
    async pass(count: number) {
      for (let pings = 1; pings <= count; pings += 1) {
        await vi.advanceTimersByTimeAsync(10_000);
        // The sockets are real, and the next ping waits for the answer to this one.
        while (answered < pings) await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
        expect(answered).toBe(pings);
      }
    },
  };
}

test('K7: a session is pinged every 10 s unless told otherwise, also while its caller does nothing', async () => {
  const { fetch, pass } = stopClock();
  await openSession(await startForeign(), { pingMs: undefined, fetch });
  await pass(6);
});

test('K7: pings keep a session alive that would expire without them', async () => {
  const { fetch, pass } = stopClock();
  const server = await startServer({ limits: { idleMs: 30_000 } });
  const pinged = await openSession(server, { pingMs: undefined, fetch });
  const silent = await openSession(server, { pingMs: Infinity });
  await pass(6);
  await eventually(() => expect(server.counters.teardowns).toBe(1));
  expect(await pinged.call('noargs')).toMatchObject({ text: 'nothing needed' });
  expect(await rejection(silent.call('noargs'))).toBeInstanceOf(SessionTerminated);
});

test('K7: four pings in a row may fail', async () => {
  const server = await startPinged((count) => (count <= 4 ? json({ detail: 'no' }, 500) : ok));
  const session = await openSession(server, { pingMs: 5 });
  await eventually(() => expect(server.on('/ping').length).toBeGreaterThan(8));
  expect(await session.call('add')).toMatchObject({ text: 'done' });
});

test('K7: failures that are not in a row never add up', async () => {
  const server = await startPinged((count) => (count % 5 === 0 ? ok : json({ detail: 'no' }, 503)));
  const session = await openSession(server, { pingMs: 3 });
  await eventually(() => expect(server.on('/ping').length).toBeGreaterThan(20));
  expect(await session.call('add')).toMatchObject({ text: 'done' });
});

test('K7: five pings in a row that fail end the session and what it waits for', async () => {
  const server = await startForeign({
    'POST /ping': json({ detail: 'no' }, 500),
    'POST /math/call': ({ response }) => openStream(response).write(toPythonEvents(['task_id', SERVER_ID])),
    'GET /math/prompt': () => {}, // for ever
  });
  const session = await openSession(server, { pingMs: 5 });
  const running = rejection(session.call('add'));
  const error = await rejection(session.prompt());
  expect(error).toBeInstanceOf(SessionTerminated);
  // How the calls end nobody can say.
  expect(error.outcome).toBeUndefined();
  expect(await running).toBe(error);
  expect(error).toMatchObject({ message: expect.stringContaining('5 pings in a row failed'), sid: session.sid });
  expect(server.on('/ping')).toHaveLength(5);
  const asked = server.seen.length;
  expect(await rejection(session.call('add'))).toBe(error);
  expect(server.seen).toHaveLength(asked);
});

test('K7: a session that stopped answering is still deleted, with one attempt whose failure is nobody’s news', async () => {
  const server = await startForeign({
    'POST /ping': ({ response }) => response.destroy(),
    'POST /delete': ({ response }) => response.destroy(),
  });
  const session = await openSession(server, { pingMs: 5 });
  await eventually(() => expect(server.on('/ping')).toHaveLength(5));
  await eventually(() => expect(rejection(session.call('add'))).resolves.toBeInstanceOf(SessionTerminated));
  await session.close();
  expect(server.on('/delete')).toHaveLength(1);
});

test.each([
  ['404 that speaks of the session', 404, 'Active environment not found'],
  ['410', 410, 'Session deleted'],
])('K7: a ping that is answered with a %s ends the session at once', async (_name, status, detail) => {
  const server = await startPinged(() => json({ detail }, status));
  const session = await openSession(server, { pingMs: 5 });
  await eventually(() => expect(server.on('/ping')).toHaveLength(1));
  const error = await eventually(async () => {
    const thrown = await rejection(session.call('add'));
    expect(thrown).toBeInstanceOf(SessionTerminated);
    return thrown;
  });
  expect(error.message).toBe(`the session is over: ${detail}`);
  // Nothing is left to delete.
  await session.close();
  expect(server.on('/ping')).toHaveLength(1);
  expect(server.on('/delete')).toHaveLength(0);
});

test('K7: a 404 of unknown meaning, as of a gateway that is redeployed, is one failed ping', async () => {
  const server = await startPinged((count) => (count < 3 ? json('404 page not found', 404) : ok));
  const session = await openSession(server, { pingMs: 5 });
  await eventually(() => expect(server.on('/ping').length).toBeGreaterThan(4));
  expect(await session.call('add')).toMatchObject({ text: 'done' });
});

test('pings to a server that hangs do not pile up, and count as failed in the end', async () => {
  const server = await startForeign({ 'POST /ping': () => {} });
  let sent = 0;
  let waiting = 0;
  let most = 0;
  const session = await openSession(server, {
    pingMs: 2,
    silenceMs: 40,
    async fetch(url, init) {
      if (!url.endsWith('/ping')) return fetch(url, init);
      sent += 1;
      most = Math.max(most, ++waiting);
      return fetch(url, init).finally(() => (waiting -= 1));
    },
  });
  await eventually(() =>
    expect(rejection(session.prompt().then(() => Promise.reject(0)))).resolves.toBeInstanceOf(SessionTerminated),
  );
  expect([sent, most]).toEqual([5, 1]);
});
