import { HttpError, MaxRetries } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { openSession, QUICK, quickClient, rejection } from '../support/client.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { envelope, json, openStream, SERVER_ID, startForeign, stream, toPythonEvents } from '../support/foreign.ts';

const busy = (status: number) => json({ detail: `busy ${status}` }, status);
const names = json(['math']);

test.each([429, 502, 503, 504])('K9: %i is repeated until it passes', async (status) => {
  const server = await startForeign({
    'GET /list_environments': (exchange) => (exchange.count < 4 ? busy(status) : names)(exchange),
  });
  expect(await quickClient(server).environments()).toEqual(['math']);
  expect(server.seen).toHaveLength(4);
});

test.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 431, 500, 501])(
  'K9: %i is not repeated',
  async (status) => {
    const server = await startForeign({ 'GET /list_environments': busy(status) });
    expect(await rejection(quickClient(server).environments())).toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  },
);

test('K9: a dropped connection is repeated', async () => {
  const server = await startForeign({
    'GET /list_environments': (exchange) => (exchange.count < 3 ? exchange.response.destroy() : names(exchange)),
  });
  expect(await quickClient(server).environments()).toEqual(['math']);
  expect(server.seen).toHaveLength(3);
});

test('K9, K10: what never passes is MaxRetries with every error, and what the last one knew', async () => {
  const server = await startForeign({ 'POST /math/tasks': busy(503) });
  const error = await rejection(quickClient(server).environment('math').tasks('train'));
  expect(error).toBeInstanceOf(MaxRetries);
  expect(error.errors).toHaveLength(6);
  expect(error.errors[0]).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({
    status: 503,
    message: 'POST /math/tasks failed 6 times; the last time: the server answered 503: busy 503',
  });
  expect(server.seen).toHaveLength(6);
});

test('K9: one attempt means one, and gives its own error', async () => {
  const server = await startForeign({ 'GET /list_environments': busy(503) });
  const once = { attempts: 1, pauseMs: 1, maxPauseMs: 1 };
  expect(await rejection(quickClient(server, { retry: once }).environments())).toBeInstanceOf(HttpError);
  expect(server.seen).toHaveLength(1);
});

test('K9: pauses grow from one attempt to the next, and have a limit', async () => {
  const times: number[] = [];
  const server = await startForeign({
    'GET /list_environments': (exchange) => {
      times.push(performance.now());
      busy(503)(exchange);
    },
  });
  await rejection(quickClient(server, { retry: { attempts: 5, pauseMs: 20, maxPauseMs: 60 } }).environments());
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // At least half of 20, 40, 60 and 60 ms; timers may be a millisecond early.
  for (const [index, least] of [9, 19, 29, 29].entries()) expect(pauses[index]).toBeGreaterThan(least);
});

test.each([
  ['not before the server asks for it', { 'retry-after': '1' }, 5_000, 1_000],
  ['no later than the longest pause', { 'retry-after': '3600' }, 100, 100],
  ['as always where it gives a date', { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }, 5_000, 0],
])('K9: a busy server is asked again %s', async (_when, headers, maxPauseMs, leastMs) => {
  const times: number[] = [];
  const server = await startForeign({
    'GET /list_environments': (exchange) => {
      times.push(performance.now());
      for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
      (exchange.count < 2 ? busy(429) : names)(exchange);
    },
  });
  const retry = { attempts: 3, pauseMs: 1, maxPauseMs };
  expect(await quickClient(server, { retry }).environments()).toEqual(['math']);
  const [first = 0, second = 0] = times;
  // Timers may fire a little early.
  expect(second - first).toBeGreaterThanOrEqual(leastMs - 5);
  expect(second - first).toBeLessThan(leastMs + 3_000);
});

test('K9: a refused connection is repeated also for a call, because nothing was sent', async () => {
  const server = await startForeign();
  const nobody = await startCuttingProxy(server.port, {});
  await nobody.close();
  let refused = 0;
  const session = await openSession(server, {
    fetch: (url, init) => {
      const isRefused = url.endsWith('/call') && refused++ < 2;
      return fetch(isRefused ? `http://127.0.0.1:${nobody.port}` : url, init);
    },
  });
  expect(await session.call('add')).toMatchObject({ text: 'done' });
  expect(refused).toBe(3);
  expect(server.on('/math/call')).toHaveLength(1);
});

test('a stream that is cut again and again, but held for long each time, is never given up', async () => {
  const server = await startForeign({
    'POST /math/call': ({ response, count }) => {
      if (count > 9) return stream(['task_id', SERVER_ID], ['end', envelope('at last')])({ response } as never);
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID]));
      setTimeout(() => response.write(': ping\r\n\r\n', () => response.destroy()), 20);
    },
  });
  const session = await openSession(server);
  expect(await session.call('add')).toMatchObject({ text: 'at last' });
  expect(server.on('/math/call')).toHaveLength(10);
});

test('a stream that is cut at once every time is given up, with the id of the call', async () => {
  const server = await startForeign({
    'POST /math/call': ({ response }) =>
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID]), () => response.destroy()),
  });
  // A stream has held if it lasted longer than the longest pause: on a busy machine, one that is cut at once may take some milliseconds.
  const session = await openSession(server, { retry: { ...QUICK, maxPauseMs: 5_000 } });
  const error = await rejection(session.call('add'));
  expect(error).toBeInstanceOf(MaxRetries);
  expect(error).toMatchObject({ sid: session.sid, taskId: SERVER_ID });
  expect(server.on('/math/call')).toHaveLength(6);
});

test.each([
  [
    'an input that JSON cannot take',
    (client: ReturnType<typeof quickClient>) => client.session({ task: { big: 1n as never } }),
    /cannot be sent as JSON/,
  ],
  [
    'a key that no header can carry',
    (_: unknown, url: string) => quickClient({ url }, { apiKey: 'schlüssel ✓' }).environments(),
    'the header X-API-Key has a value that cannot be sent',
  ],
])('%s is told at once, as what it is', async (_name, run, message) => {
  const server = await startForeign();
  const error = await rejection(run(quickClient(server), server.url));
  expect(error.name).toBe('ClientError');
  expect(error.message).toMatch(message);
  expect(JSON.stringify(error)).not.toContain('schlüssel');
});

test.each(['localhost:8080', 'ftp://host', '/relative', ''])("'%s' is refused as the URL of a server", (url) => {
  expect(() => quickClient({ url })).toThrow('is not the URL of a server');
});
