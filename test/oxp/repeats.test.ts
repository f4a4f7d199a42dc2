import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { SECOND, stopClock } from '../support/clock.ts';
import type { Answer } from '../support/http.ts';
import { turns } from './attempts.ts';
import { shareToolServer, startToolServer, type ToolServer } from './support.ts';

const server = shareToolServer();

const newId = () => crypto.randomUUID();

describe('ids', () => {
  test('OXP I1: a call without an id gets one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await server().call({ tool_id: 'Slow.Once' })).json.result.call_id),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(20);
  });

  const IDS = ['1', newId(), 'any text', 'é 漢字 😀', '__proto__', 'x'.repeat(256), 'a\nb', '"', '\u0000', '\ud800'];
  test.each(IDS)('OXP I1, I2: the id %j comes back, and a repeat of it finds its call', async (id) => {
    const request = { tool_id: 'Slow.Once', call_id: id, input: { for: 'ids' } };
    const first = await server().call(request);
    expect(first.json.result.call_id).toBe(id);
    expect((await server().call(request)).text).toBe(first.text);
  });

  test('OXP I1: without an id every call runs', async () => {
    const before = server().count('Slow.Once@1.0.0');
    const values = await Promise.all([1, 2, 3].map(() => server().call({ tool_id: 'Slow.Once' })));
    expect(new Set(values.map(({ json }) => json.result.value)).size).toBe(3);
    expect(server().count('Slow.Once@1.0.0')).toBe(before + 3);
  });
});

describe('repeats', () => {
  /** Sends the same call many times at once. */
  async function repeat(toolId: string, { call, gate, count }: ToolServer): Promise<Answer[]> {
    const tag = newId();
    const sent = Array.from({ length: 50 }, () => call({ tool_id: toolId, call_id: tag, input: { tag } }));
    if (toolId !== 'Slow.Once') await gate(tag).reached;
    await turns(20);
    gate(tag).open();
    const answers = await Promise.all(sent);
    expect(count(`${toolId}@1.0.0`)).toBe(1);
    return answers;
  }

  test.each(['Slow.Once', 'Slow.Wait', 'Slow.Pondered'])(
    'OXP I2: of 50 calls of %s at the same time one runs, and all get its result',
    async (toolId) => {
      const [first, ...others] = await repeat(toolId, await startToolServer());
      expect(first?.json.result.success).toBe(true);
      for (const { status, text } of others) expect([status, text]).toEqual([200, first?.text]);
    },
  );

  test.each([
    ['a value', 'Slow.Once', {}],
    ['an error', 'Doorbell.Ring', { doorbell_id: 'x' }],
    ['a crash', 'Faulty.Throw', { what: 'error' }],
    ['what cannot be sent', 'Faulty.Return', { what: 'bigint' }],
    ['a time limit', 'Slow.Hasty', { tag: 'never' }],
    ['an object that changes later', 'Faulty.Shared', {}],
  ])('OXP I2: a repeat gets the same result: %s', async (_what, toolId, input) => {
    const { call, runs } = await startToolServer();
    const request = { tool_id: toolId, call_id: 'same', input };
    const first = await call(request);
    await call({ ...request, call_id: 'another' });
    expect((await call(request)).text).toBe(first.text);
    expect(runs).toHaveLength(2);
  });

  test('OXP I2: the same call may be written in other ways', async () => {
    const call_id = newId();
    const { call, count } = server();
    const before = count('Calculator.Add@2.0.0');
    const first = await call({ call_id, tool_id: 'Calculator.Add', input: { a: 1, b: 2 } });
    const second = await call({ input: { b: 2, a: 1.0 }, tool_id: 'Calculator.Add@2', trace_id: 'other', call_id });
    expect(second.text).toBe(first.text);
    expect(count('Calculator.Add@2.0.0')).toBe(before + 1);
  });

  test.each([
    ['input', { input: { a: 1, b: 3 } }],
    ['version', { tool_id: 'Calculator.Add@1.0.0' }],
    ['tool', { tool_id: 'Shapes.Echo' }],
    ['user', { context: { user_id: 'u-2' } }],
  ])('OXP I2: the same id with another %s is refused, during the call and after it', async (_what, change) => {
    const { call, gate, runs } = await startToolServer();
    const request = { call_id: 'taken', tool_id: 'Calculator.Add', input: { a: 1, b: 2 }, context: { user_id: 'u-1' } };
    const first = await call(request);
    const { status, json } = await call({ ...request, ...change });
    expect([status, json.message]).toEqual([400, 'This call cannot be repeated']);
    expect(json.developer_message).toContain("call_id 'taken' was used for another tool, input or user");
    const running = call({ call_id: 'running', tool_id: 'Slow.Wait', input: { tag: 'w' } });
    await gate('w').reached;
    expect((await call({ ...request, call_id: 'running', ...change })).status).toBe(400);
    gate('w').open();
    expect((await running).json.result.success).toBe(true);
    expect((await call(request)).text).toBe(first.text);
    expect(runs).toHaveLength(2);
  });

  test('OXP I2: a new token does not make another call', async () => {
    const { call } = server();
    const send = (token: string) =>
      call({
        call_id: 'renewed',
        tool_id: 'Needs.Mail',
        input: { to: 'x' },
        context: { authorization: [{ id: 'google', token }] },
      });
    const first = await send('old-token');
    expect((await send('newer-token-than-that')).text).toBe(first.text);
  });

  test('OXP I2: who lacks what the tool needs does not get the result of who had it', async () => {
    const { call } = server();
    const request = { call_id: 'mine', tool_id: 'Needs.Mail', input: { to: 'x' } };
    const authorization = [{ id: 'google', token: 'token' }];
    expect((await call({ ...request, context: { authorization } })).status).toBe(200);
    expect((await call(request)).json.missing_requirements.authorization).toHaveLength(1);
  });

  test('OXP I2: a refused input leaves the id free', async () => {
    const { call } = server();
    const request = { call_id: newId(), tool_id: 'Calculator.Add' };
    expect((await call({ ...request, input: { a: 1 } })).status).toBe(422);
    expect((await call({ ...request, input: { a: 1, b: 1 } })).json.result.value).toBe(2);
  });

  test('OXP I2: when the result is no longer kept, a repeat is refused and does not run', async () => {
    const clock = stopClock();
    const { call, count } = await startToolServer({ limits: { lingerMs: 30 * SECOND } });
    const request = { call_id: 'late', tool_id: 'Slow.Once' };
    const first = await call(request);
    await clock.pass(30 * SECOND);
    expect((await call(request)).text).toBe(first.text);
    for (const ms of [1, 60 * SECOND]) {
      await clock.pass(ms);
      const { status, json } = await call(request);
      expect([status, json.developer_message]).toEqual([
        400,
        "call_id 'late' was used before, and its result is no longer kept",
      ]);
    }
    expect(count('Slow.Once@1.0.0')).toBe(1);
  });

  test('OXP I2: a call that runs for longer than results are kept is found all the same', async () => {
    const clock = stopClock();
    const { call, gate, count } = await startToolServer({ limits: { lingerMs: SECOND } });
    const request = { call_id: 'long', tool_id: 'Slow.Wait', input: { tag: 'long' } };
    const first = call(request);
    await gate('long').reached;
    await clock.pass(60 * SECOND);
    const second = call(request);
    await turns(20);
    gate('long').open();
    expect((await second).text).toBe((await first).text);
    expect(count('Slow.Wait@1.0.0')).toBe(1);
  });
});

describe('identities', () => {
  const secret = 'a secret of at least thirty-two bytes';
  const apiKeys = [
    { key: 'alice-1', identity: 'alice' },
    { key: 'alice-2', identity: 'alice' },
    { key: 'bob-1', identity: 'bob' },
    'plain-1',
    'plain-2',
  ];
  const guarded = shareToolServer({ auth: { apiKeys, jwt: { secret } } });

  async function toToken(subject?: string): Promise<string> {
    const token = new SignJWT({ scope: '', ...(subject === undefined ? {} : { sub: subject }) }).setProtectedHeader({
      alg: 'HS256',
    });
    return token.setExpirationTime('1 minute').sign(new TextEncoder().encode(secret));
  }

  /** The value that a caller gets for an id. */
  async function valueFor(headers: Record<string, string>, callId: string): Promise<string> {
    const { json } = await guarded().call({ tool_id: 'Slow.Once', call_id: callId }, { headers });
    return json.result.value;
  }

  const key = (name: string) => ({ 'oxp-api-key': name });
  const token = async (subject?: string) => ({ authorization: `Bearer ${await toToken(subject)}` });

  test('OXP I2: an id is the caller’s own: others who use it run a call of their own', async () => {
    const callers = [key('alice-1'), key('bob-1'), key('plain-1'), key('plain-2'), await token('carol'), await token()];
    const values = await Promise.all(callers.map((caller) => valueFor(caller, 'shared')));
    expect(new Set(values).size).toBe(callers.length);
    expect(await Promise.all(callers.map((caller) => valueFor(caller, 'shared')))).toEqual(values);
  });

  test('OXP I2: keys and tokens of one identity share their calls', async () => {
    const value = await valueFor(key('alice-1'), 'of alice');
    expect(await valueFor(key('alice-2'), 'of alice')).toBe(value);
    expect(await valueFor(await token('alice'), 'of alice')).toBe(value);
  });

  test('OXP I2: no id can be written so that it means a call of somebody else', async () => {
    const value = await valueFor(key('bob-1'), 'private');
    const guesses = ['bob\nprivate', '\nbob\nprivate', 'private', 'bob private', '\u0000private'];
    for (const guess of guesses) expect(await valueFor(key('alice-1'), guess)).not.toBe(value);
    for (const subject of ['', 'alice\nbob', '\n']) {
      const { status } = await guarded().call(
        { tool_id: 'Slow.Once', call_id: 'private' },
        { headers: await token(subject) },
      );
      expect(status).toBe(400);
    }
  });
});

describe('callers that leave', () => {
  /** Starts a call, waits until its tool runs, and breaks the connection; resolves when the server knows. */
  async function leave(started: ToolServer, request: object): Promise<AbortSignal> {
    const { server: running, call, gate, runs } = started;
    const connected = once(running.app.server, 'connection') as Promise<[Socket]>;
    const controller = new AbortController();
    const answer = call(request, { signal: controller.signal, headers: { connection: 'close' } });
    const [socket] = await connected;
    const gone = once(socket, 'close');
    await gate('g').reached;
    controller.abort();
    await expect(answer).rejects.toThrow();
    await gone;
    await turns(2);
    return runs[0]?.context.signal as AbortSignal;
  }

  test('OXP I4: a call with an id goes on, and a repeat fetches its result', async () => {
    const started = await startToolServer();
    const request = { tool_id: 'Slow.Wait', call_id: 'kept', input: { tag: 'g' } };
    const signal = await leave(started, request);
    expect(signal.aborted).toBe(false);
    const repeated = started.call(request);
    await turns(20);
    started.gate('g').open();
    expect((await repeated).json.result.success).toBe(true);
    expect((await started.call(request)).text).toBe((await repeated).text);
    expect(started.runs).toHaveLength(1);
  });

  test('OXP I4: a call without an id is aborted', async () => {
    const started = await startToolServer();
    const signal = await leave(started, { tool_id: 'Slow.Wait', input: { tag: 'g' } });
    expect([signal.aborted, String(signal.reason)]).toEqual([true, 'Error: the caller disconnected']);
  });

  test('OXP I4: a call without an id that was still being checked does not run', async () => {
    const started = await startToolServer();
    await leave(started, { tool_id: 'Slow.Pondered', input: { tag: 'g' } });
    started.gate('g').open();
    await turns(20);
    expect(started.runs).toEqual([]);
  });

  test('OXP I4: a connection that closes after its answer aborts nothing', async () => {
    const started = await startToolServer();
    started.gate('g').open();
    await started.call({ tool_id: 'Slow.Wait', input: { tag: 'g' } }, { headers: { connection: 'close' } });
    await turns(5);
    expect(started.last('Slow.Wait@1.0.0').context.signal.aborted).toBe(false);
  });
});
