import { SignJWT } from 'jose';
import { tool, toolkit } from 'tiltyard';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { countedTools } from '../support/counted-tools.ts';
import { beforeOxpAnswer, cutServer } from './cuts.ts';
import { describeWithPython, MODES, shareOxpFlows } from './python.ts';

async function startTools(options: Omit<ServerOptions, 'environments'> = {}): Promise<string> {
  const server = await createServer({ toolkits: [calculator, doorbell, messages], logger: false, ...options });
  onTestFinished(() => server.close());
  return server.listen();
}

const SECRET = 'a shared secret of 32 bytes, or more';

function signToken(): Promise<string> {
  const key = new TextEncoder().encode(SECRET);
  return new SignJWT({ scope: '' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('python')
    .setExpirationTime('1m')
    .sign(key);
}

const ADD = { tool_id: 'Calculator.Add@1.0.0', input: { a: 10, b: 5 } };
const RING = { tool_id: 'Doorbell.Ring', input: { doorbell_id: 'doorbell1' } };

const RING_ERROR = {
  message: 'Doorbell ID not found',
  developer_message: "The doorbell with ID 'doorbell1' does not exist.",
  can_retry: true,
  additional_prompt_content: 'ids: doorbell42,doorbell84',
  retry_after_ms: 500,
};

/** Calls that end in every way there is, by name; what each gives is below. */
const CALLS = {
  success: { ...ADD, call_id: 'first' },
  nothing: { tool_id: 'Doorbell.Ring@0.1.0', input: { doorbell_id: 'doorbell42' } },
  'tool error': RING,
  'bad input': { tool_id: 'Calculator.Add@1', input: { a: 10, b: 'infinity' } },
  'unknown version': { tool_id: 'Calculator.Add@3' },
  'missing requirements': { tool_id: 'Messages.SendText', input: { to: '+15550100', text: 'Hello' } },
};

const succeeded = (value: unknown, callId: unknown = expect.any(String)) => ({
  $schema: 'urn:oxp:1.0',
  result: { call_id: callId, duration: expect.any(Number), success: true, value },
});

const failed = (error: object) => ({
  $schema: 'urn:oxp:1.0',
  result: { call_id: expect.any(String), duration: expect.any(Number), success: false, error },
});

const BODIES = {
  'bad input': { message: 'Some input parameters are invalid', parameter_errors: { b: 'Must be a number' } },
  'unknown version': { developer_message: 'Calculator.Add version 3.0.0 is not available (available: 2.0.0, 1.0.0)' },
  'missing requirements': { missing_requirements: { secrets: [{ id: 'SMS_API_KEY' }], user_id: true } },
};

describeWithPython('the official client of OXP, oxp 0.1.1', () => {
  const run = shareOxpFlows();

  describe.each(MODES)('%s', (mode) => {
    const client = { sdk: 'oxp', mode } as const;

    test('OXP O1, O2, O3: asks for health, and finds all tools in all versions', async () => {
      const url = await startTools();
      expect(await run('health', { ...client, url })).toBeNull();
      const sent = (await (await fetch(`${url}/tools`)).json()) as { items: { id: string }[] };
      const { items } = await run('tools', { ...client, url });
      expect(items).toEqual(sent.items);
      expect(items.map(({ id }: { id: string }) => id)).toContain('Calculator.Add@2.0.0');
    });

    test('OXP O6, E1, E2, E3, S5: calls tools, and can tell all the ways in which a call ends', async () => {
      const url = await startTools();
      expect(await run('calls', { ...client, url }, { requests: CALLS })).toMatchObject({
        success: succeeded(15, 'first'),
        nothing: succeeded(null),
        'tool error': failed(RING_ERROR),
        'bad input': { error: 'UnprocessableEntityError', status: 422, body: BODIES['bad input'] },
        'unknown version': { error: 'BadRequestError', status: 400, body: BODIES['unknown version'] },
        'missing requirements': { error: 'BadRequestError', status: 400, body: BODIES['missing requirements'] },
      });
    });

    test('OXP S5: hands over secrets, a user and authorizations', async () => {
      const url = await startTools();
      const { input, tool_id } = CALLS['missing requirements'];
      const requests = {
        text: { tool_id, input, context: { secrets: [{ id: 'SMS_API_KEY', value: 'good-key' }], user_id: 'ada' } },
        mail: { tool_id: 'Messages.ListMail', context: { authorization: [{ id: 'mail', token: 'token-of-ada' }] } },
      };
      expect(await run('calls', { ...client, url }, { requests })).toMatchObject({
        text: succeeded({ segments: 1 }),
        mail: succeeded(['Notes on the engine', 'Tea on Sunday?']),
      });
    });

    test('OXP O6: gets every kind of value as it was sent', async () => {
      const echo = tool({ input: z.object({ value: z.any() }), run: ({ value }) => value });
      const url = await startTools({ toolkits: [toolkit({ name: 'Echo', tools: { Value: echo } })] });
      const values = {
        text: ' grün 🔑\n',
        whole: 1,
        real: 0.1,
        yes: true,
        no: false,
        none: null,
        list: [1, [null]],
        map: { a: { b: [] } },
      };
      const requests = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { tool_id: 'Echo.Value', input: { value } }]),
      );
      const expected = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, succeeded(value)]));
      expect(await run('calls', { ...client, url }, { requests })).toEqual(expected);
    });

    test('OXP S3, S4: gets in with a token; a wrong one is AuthenticationError for the list and BadRequestError for a call', async () => {
      const url = await startTools({ auth: { jwt: { secret: SECRET } } });
      const right = { ...client, url, token: await signToken() };
      expect((await run('tools', right)).items).toHaveLength(5);
      expect(await run('call', right, { request: ADD })).toMatchObject(succeeded(15));
      const wrong = { ...client, url, token: 'wrong' };
      expect(await run('tools', wrong)).toMatchObject({ error: 'AuthenticationError', status: 401 });
      expect(await run('call', wrong, { request: ADD })).toMatchObject({ error: 'BadRequestError', status: 400 });
    });

    test('OXP S4: with unauthorizedStatus 401 a wrong token is AuthenticationError for a call, too', async () => {
      const url = await startTools({ auth: { jwt: { secret: SECRET } }, oxp: { unauthorizedStatus: 401 } });
      const wrong = { ...client, url, token: 'wrong' };
      expect(await run('call', wrong, { request: ADD })).toMatchObject({ error: 'AuthenticationError', status: 401 });
    });

    test('OXP S2: gets in with an API key in a header of its own, beside a token that nobody asks for', async () => {
      const url = await startTools({ auth: { apiKeys: ['right'] } });
      const headers = { 'OXP-API-Key': 'right' };
      expect(await run('call', { ...client, url, headers }, { request: ADD })).toMatchObject(succeeded(15));
    });

    test('OXP I2: a call with a call_id that is cut runs once', async () => {
      const counts = countedTools();
      const { proxy, ...cut } = await cutServer(await startTools({ toolkits: counts.toolkits }), beforeOxpAnswer);
      const request = { tool_id: 'Counted.Small', input: { key: 'a' }, call_id: 'first' };
      expect(await run('call', { ...client, ...cut }, { request })).toMatchObject(succeeded('ran a', 'first'));
      expect(proxy.cuts).toBe(1);
      expect(counts.runs('a')).toBe(1);
    });

    test('quirk: a call without a call_id that is cut is sent again: two executions', async () => {
      const counts = countedTools();
      const { proxy, ...cut } = await cutServer(await startTools({ toolkits: counts.toolkits }), beforeOxpAnswer);
      const request = { tool_id: 'Counted.Small', input: { key: 'a' } };
      expect(await run('call', { ...client, ...cut }, { request })).toMatchObject(succeeded('ran a'));
      expect(proxy.cuts).toBe(1);
      expect(counts.runs('a')).toBe(2);
    });

    test('quirk: without a token it does not start, also where none is asked for', async () => {
      const url = await startTools();
      await expect(run('tools', { ...client, url, token: null })).rejects.toThrow(
        'bearer_token client option must be set',
      );
    });

    test('quirk: a tool error with can_retry is given to the caller, not tried again', async () => {
      const counts = countedTools();
      const url = await startTools({ toolkits: counts.toolkits });
      const request = { tool_id: 'Counted.Flaky', input: { key: 'a', failures: 1 } };
      expect(await run('call', { ...client, url }, { request })).toMatchObject({ result: { success: false } });
      expect(counts.runs('a')).toBe(1);
    });
  });
});

describeWithPython('the client of LangChain, langchain-tool-client 0.0.3 in its HTTP mode', () => {
  const run = shareOxpFlows();
  const client = { sdk: 'langchain', mode: 'async' } as const;

  test('OXP O1, O2: asks for health, and gets the whole answer for a list: the tools are its items', async () => {
    const url = await startTools();
    expect(await run('health', { ...client, url })).toEqual({ status: 'ok' });
    const listed = await run('tools', { ...client, url });
    expect(Object.keys(listed)).toEqual(['$schema', 'items', 'tools']);
    expect(listed).toEqual(await (await fetch(`${url}/tools`)).json());
  });

  test('OXP O6, E1, E2, E3: calls tools; what is no success by status is an HTTPStatusError', async () => {
    const url = await startTools();
    expect(await run('calls', { ...client, url }, { requests: CALLS })).toMatchObject({
      success: succeeded(15, 'first'),
      nothing: succeeded(null),
      'tool error': failed(RING_ERROR),
      'bad input': { error: 'HTTPStatusError', status: 422, body: BODIES['bad input'] },
      'unknown version': { error: 'HTTPStatusError', status: 400, body: BODIES['unknown version'] },
      'missing requirements': { error: 'HTTPStatusError', status: 400, body: BODIES['missing requirements'] },
    });
  });

  test('OXP S2, S3: gets in with headers', async () => {
    const url = await startTools({ auth: { apiKeys: ['right'], jwt: { secret: SECRET } } });
    const kinds = [{ 'OXP-API-Key': 'right' }, { Authorization: `Bearer ${await signToken()}` }];
    for (const headers of kinds) {
      expect(await run('call', { ...client, url, headers }, { request: ADD })).toMatchObject(succeeded(15));
    }
    expect(await run('tools', { ...client, url })).toMatchObject({ error: 'HTTPStatusError', status: 401 });
    expect(await run('call', { ...client, url }, { request: ADD })).toMatchObject({ status: 400 });
  });

  test('OXP I2: its call_id makes a repeat safe', async () => {
    const counts = countedTools();
    const url = await startTools({ toolkits: counts.toolkits });
    const request = { tool_id: 'Counted.Small', input: { key: 'a' }, call_id: 'first' };
    const first = await run('call', { ...client, url }, { request });
    expect(await run('call', { ...client, url }, { request })).toEqual(first);
    expect(counts.runs('a')).toBe(1);
  });

  test('quirk: its user_id stands where OXP has none, and is refused', async () => {
    const url = await startTools();
    const request = { ...ADD, user_id: 'ada' };
    expect(await run('call', { ...client, url }, { request })).toMatchObject({
      status: 400,
      body: { developer_message: "'request' has an unknown key 'user_id'" },
    });
  });

  test('quirk: it cannot hand over secrets or authorizations', async () => {
    const url = await startTools();
    const request = { tool_id: 'Messages.ListMail', context: {} };
    expect(await run('call', { ...client, url }, { request })).toMatchObject({ error: 'TypeError' });
  });
});
