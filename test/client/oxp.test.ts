import { connectOxp, MaxRetries, OutcomeUnknown, OxpToolError, TimedOut } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { calculator, doorbell } from '../../examples/toolkit/toolkit.ts';
import { eventually, QUICK, rejection } from '../support/client.ts';
import { CutLine } from '../support/cut-line.ts';
import { json, type Route } from '../support/foreign.ts';
import { gate } from '../support/gate.ts';
import { quickOxp, sentIds, startCounted, startOther, startTools, succeed, UUID } from '../support/oxp.ts';

test('lists tools in all their versions, and calls them', async () => {
  const client = connectOxp((await startTools({ toolkits: [calculator, doorbell] })).url);
  const tools = await client.tools();
  expect(tools.map(({ id }) => id)).toEqual(['Calculator.Add@1.0.0', 'Calculator.Add@2.0.0', 'Doorbell.Ring@0.1.0']);
  expect(tools[0]).toMatchObject({
    name: 'Calculator_Add',
    version: '1.0.0',
    input_schema: { type: 'object', required: ['a', 'b'] },
    output_schema: { type: 'number' },
  });
  expect(await client.call('Calculator.Add@1.0.0', { a: 10, b: 5 })).toEqual({
    callId: expect.stringMatching(UUID),
    durationMs: expect.any(Number),
    value: 15,
    outcome: 'returned',
  });
  expect((await client.call('Doorbell.Ring', { doorbell_id: 'doorbell84' })).value).toBeNull();
});

test('what a call hands over reaches the tool, and nothing is sent that was not given', async () => {
  const server = await startCounted();
  const client = quickOxp(server);
  const context = { secrets: { KEY: 'a secret' }, authorization: { mail: 'a token' }, userId: 'ada' };
  await client.call('Counted.Small', { key: 'a' }, { context, traceId: 'trace-1' });
  expect(server.contexts).toEqual([{ ...context, traceId: 'trace-1' }]);

  const other = await startOther(succeed(1));
  await quickOxp(other).call('Any.Tool');
  const [sent] = other.on('/tools/call');
  expect(sent).toMatchObject({ headers: { accept: 'application/json', 'content-type': 'application/json' } });
  expect(sent?.body).toEqual({
    $schema: 'urn:oxp:1.0',
    request: { call_id: expect.stringMatching(UUID), tool_id: 'Any.Tool', input: {} },
  });
});

test('OXP K1: a failure that may pass is tried again, each time as a call of its own', async () => {
  const server = await startCounted();
  const ids: string[] = [];
  const client = quickOxp(server, {
    fetch: (url, init) => {
      if (init.method === 'POST') ids.push(JSON.parse(String(init.body)).request.call_id);
      return fetch(url, init);
    },
  });
  expect((await client.call('Counted.Flaky', { key: 'a', failures: 2 })).value).toBe(3);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(UUID);
});

test('OXP K1: it is tried so often and no more, and the last failure is told with all it says', async () => {
  const server = await startCounted();
  const client = quickOxp(server);
  const error = await rejection(client.call('Counted.Flaky', { key: 'a', failures: 9, afterMs: 1 }));
  expect(error).toBeInstanceOf(OxpToolError);
  expect(error).toMatchObject({
    message: 'failure 3',
    developerMessage: 'detail 3',
    additionalPromptContent: 'hint 3',
    canRetry: true,
    retryAfterMs: 1,
  });
  expect(server.runs('a')).toBe(3);
  await rejection(client.call('Counted.Flaky', { key: 'b', failures: 9 }, { maxToolRetries: 0 }));
  expect(server.runs('b')).toBe(1);
  await rejection(client.call('Counted.Flaky', { key: 'c', failures: 9 }, { maxToolRetries: 5 }));
  expect(server.runs('c')).toBe(6);
});

test('OXP K1: a failure that does not pass is not tried again', async () => {
  const server = await startCounted();
  const input = { key: 'a', failures: 9, canRetry: false };
  expect(await rejection(quickOxp(server).call('Counted.Flaky', input))).toMatchObject({ canRetry: false });
  expect(server.runs('a')).toBe(1);
});

test('OXP K1: retry_after_ms is waited for', async () => {
  const server = await startCounted();
  const begun = performance.now();
  await quickOxp(server).call('Counted.Flaky', { key: 'a', failures: 1, afterMs: 60 });
  // A timer may be a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(58);
});

test.each([
  ['than the time that is left', 20_000, { timeoutMs: 10_000 }],
  ['than a minute', 60_001, {}],
])('OXP K1: a wait longer %s is left to the caller, who is told at once', async (_name, afterMs, options) => {
  const server = await startCounted();
  const error = await rejection(quickOxp(server).call('Counted.Flaky', { key: 'a', failures: 1, afterMs }, options));
  expect(error).toMatchObject({ name: 'OxpToolError', retryAfterMs: afterMs });
  expect(server.runs('a')).toBe(1);
});

test('OXP K1: with an id of the caller, the tries have ids that come out of it: all of them can be repeated', async () => {
  const server = await startCounted();
  const call = () => quickOxp(server).call('Counted.Flaky', { key: 'a', failures: 2 }, { callId: 'order-7' });
  const first = await call();
  expect(first).toMatchObject({ callId: 'order-7-retry-2', value: 3 });
  expect(await call()).toMatchObject({ callId: 'order-7-retry-2', value: 3 });
  expect(server.runs('a')).toBe(3);
});

test('OXP K2: a repeat after a dropped connection has the same id, and another call another', async () => {
  const server = await startOther((exchange) =>
    exchange.count % 3 === 0 ? succeed('there')(exchange) : exchange.response.destroy(),
  );
  const client = quickOxp(server);
  const first = await client.call('Any.Tool');
  const second = await client.call('Any.Tool');
  expect(sentIds(server)).toEqual([first, first, first, second, second, second].map(({ callId }) => callId));
  expect(first.callId).not.toBe(second.callId);
});

test.each([429, 502, 503, 504])('OXP K2: %i is repeated with the same id', async (status) => {
  const server = await startOther((exchange) =>
    (exchange.count < 3 ? json({ message: 'busy' }, status) : succeed(1))(exchange),
  );
  const { callId } = await quickOxp(server).call('Any.Tool');
  expect(sentIds(server)).toEqual([callId, callId, callId]);
});

test('OXP K2: a call that is cut at every byte of its answer runs exactly once', { timeout: 60_000 }, async () => {
  const server = await startCounted();
  let count = 0;
  let hasPassed = false;
  const play = async () => {
    const line = await CutLine.open(server);
    const client = quickOxp(line, { headers: { connection: 'close' } });
    while (!hasPassed) {
      const offset = count++;
      const { cuts } = line.proxy;
      line.cutNext(offset);
      const key = `key-${offset}`;
      expect((await client.call('Counted.Small', { key })).value).toBe(`ran ${key}`);
      expect(server.runs(key), key).toBe(1);
      hasPassed ||= line.proxy.cuts === cuts;
    }
  };
  await Promise.all([play(), play(), play(), play()]);
  expect(count).toBeGreaterThan(250);
});

test('OXP K2: a call that is cut while it runs is found again, and ends once', async () => {
  const server = await startCounted();
  const line = await CutLine.open(server);
  const abandoned = new AbortController();
  const callId = 'call-1';
  const call = (how: object) => quickOxp(line).call('Counted.Wait', { key: 'a' }, { callId, ...how });
  const left = rejection(call({ signal: abandoned.signal }));
  await server.gate.reached;
  abandoned.abort(new Error('enough'));
  expect(await left).toMatchObject({ message: 'enough' });
  const found = call({});
  server.gate.open();
  expect(await found).toMatchObject({ callId, value: 'waited for a' });
  expect(server.runs('a')).toBe(1);
});

/** What the platform's fetch throws when an answer does not begin in time. */
function headersTimeout(): Error {
  const cause = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  return new TypeError('fetch failed', { cause });
}

test('OXP K2: a call that outlasts the patience of the platform is found again by its id, however often', async () => {
  const server = await startCounted();
  let asked = 0;
  const client = quickOxp(server, {
    async fetch(url, init) {
      asked += 1;
      const response = await fetch(url, init);
      // More often than any other failure would be forgiven.
      if (asked <= QUICK.attempts + 4) throw headersTimeout();
      return response;
    },
  });
  expect((await client.call('Counted.Small', { key: 'a' })).value).toBe('ran a');
  expect(server.runs('a')).toBe(1);
});

test('OXP K5: where a repeat may run again, an answer that does not begin in time is OutcomeUnknown', async () => {
  const server = await startCounted();
  const fetch = async () => {
    throw headersTimeout();
  };
  const client = quickOxp(server, { fetch, onUnknown: 'fail' });
  expect(await rejection(client.call('Counted.Small', { key: 'a' }))).toBeInstanceOf(OutcomeUnknown);
});

test('OXP K2: an answer that never comes is MaxRetries, with the id of the call', async () => {
  const server = await startOther(({ response }) => response.destroy());
  const error = await rejection(quickOxp(server).call('Any.Tool'));
  expect(error).toBeInstanceOf(MaxRetries);
  expect(error).toMatchObject({ taskId: sentIds(server)[0], message: expect.stringContaining("call of 'Any.Tool'") });
  expect(error.errors).toHaveLength(6);
});

test('OXP K2: a result that the server no longer keeps is told as such, and the tool does not run again', async () => {
  const server = await startCounted({ limits: { lingerMs: 1 } });
  const call = () => quickOxp(server).call('Counted.Small', { key: 'a' }, { callId: 'call-1' });
  await call();
  const error = await eventually(() => rejection(call()));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ taskId: 'call-1', message: expect.stringContaining('no longer kept') });
  expect(server.runs('a')).toBe(1);
});

test('OXP K2: a server that cannot answer now, as it says with 400 and a time, is asked again', async () => {
  const busy: Route = ({ response }) =>
    response
      .writeHead(400, { 'content-type': 'application/json', 'retry-after': '1' })
      .end('{"message":"The server is temporarily unavailable"}');
  const server = await startOther((exchange) => (exchange.count < 3 ? busy : succeed(1))(exchange));
  expect((await quickOxp(server).call('Any.Tool')).value).toBe(1);
  const never = await startOther(busy);
  const error = await rejection(quickOxp(never, { retry: { ...QUICK, attempts: 1 } }).call('Any.Tool'));
  expect(error).toMatchObject({ name: 'OxpServerError', status: 400, retryAfterMs: 1000 });
});

test('OXP K2: a server that has all the calls it takes is asked again until there is room', async () => {
  const server = await startCounted({ limits: { maxToolkitCalls: 1 } });
  const first = quickOxp(server).call('Counted.Wait', { key: 'a' });
  await server.gate.reached;
  let asked = 0;
  const patient = quickOxp(server, {
    retry: { attempts: 1000, pauseMs: 1, maxPauseMs: 4 },
    fetch: (url, init) => {
      asked += 1;
      if (asked === 3) server.gate.open();
      return fetch(url, init);
    },
  });
  expect((await patient.call('Counted.Small', { key: 'b' })).value).toBe('ran b');
  expect((await first).value).toBe('waited for a');
  expect(asked).toBeGreaterThan(2);
  expect(server.runs('b')).toBe(1);
});

test('a call that takes too long is told so, and the tool goes on', async () => {
  const server = await startCounted();
  const client = quickOxp(server);
  const error = await rejection(client.call('Counted.Wait', { key: 'a' }, { timeoutMs: 50, callId: 'call-1' }));
  expect(error).toBeInstanceOf(TimedOut);
  server.gate.open();
  expect((await client.call('Counted.Wait', { key: 'a' }, { callId: 'call-1' })).value).toBe('waited for a');
  expect(server.runs('a')).toBe(1);
});

test('a signal that has fired before sends nothing', async () => {
  const server = await startOther(succeed(1));
  const signal = AbortSignal.abort(new Error('too late'));
  expect(await rejection(quickOxp(server).call('Any.Tool', {}, { signal }))).toMatchObject({ message: 'too late' });
  expect(await rejection(quickOxp(server).tools({ signal }))).toMatchObject({ message: 'too late' });
  expect(server.seen).toHaveLength(0);
});

test('a caller who gives up while the client asks which instance answers leaves no request behind', async () => {
  const asked = gate();
  const healths: (AbortSignal | null | undefined)[] = [];
  const server = await startOther(succeed(1));
  const client = quickOxp(server, {
    fetch: (url, init) => {
      if (!url.endsWith('/health')) return fetch(url, init);
      healths.push(init.signal);
      asked.open();
      // As of a server that takes its time, for the first request.
      return healths.length > 1 ? fetch(url, init) : new Promise(() => {});
    },
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = [first, second].map(({ signal }) => rejection(client.call('Any.Tool', {}, { signal })));
  await asked.opened;
  first.abort(new Error('the first leaves'));
  expect(await calls[0]).toMatchObject({ message: 'the first leaves' });
  expect(healths.map((signal) => signal?.aborted)).toEqual([false]);
  second.abort(new Error('the second leaves'));
  expect(await calls[1]).toMatchObject({ message: 'the second leaves' });
  expect(healths.map((signal) => signal?.aborted)).toEqual([true]);
  expect((await client.call('Any.Tool')).value).toBe(1);
});
