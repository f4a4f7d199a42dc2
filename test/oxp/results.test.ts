import { describe, expect, test } from 'vitest';
import { logLines } from '../support/log-lines.ts';
import { shareToolServer, startToolServer } from './support.ts';
import { THROWN, UNSENDABLE } from './toolkits.ts';

const server = shareToolServer();

const GENERIC = 'The tool failed unexpectedly';

/** Calls a tool that fails, and gives its error. */
async function failed(request: object, { call } = server()): Promise<any> {
  const { status, json } = await call(request);
  expect(status).toBe(200);
  const { success, error, ...rest } = json.result;
  expect(success).toBe(false);
  // E4: and no value.
  expect(Object.keys(rest).sort()).toEqual(['call_id', 'duration']);
  return error;
}

describe('errors of tools', () => {
  test('OXP E3: what a tool reports on purpose arrives whole', async () => {
    expect(await failed({ tool_id: 'Doorbell.Ring', input: { doorbell_id: 'x' } })).toEqual({
      message: 'Doorbell ID not found',
      developer_message: "The doorbell with ID 'x' does not exist.",
      can_retry: true,
      additional_prompt_content: 'ids: doorbell42,doorbell84',
      retry_after_ms: 500,
    });
  });

  test('OXP E3: what a tool does not say is left out', async () => {
    const { toolkit, ToolError } = await import('tiltyard');
    const refuse = (error: InstanceType<typeof ToolError>) => ({
      run() {
        throw error;
      },
    });
    const tools = {
      Plain: refuse(new ToolError('no')),
      Final: refuse(new ToolError('no', { canRetry: false, retryAfterMs: 1.5 })),
      Never: refuse(new ToolError('no', { retryAfterMs: Number.NaN })),
    };
    const { call } = await startToolServer({ toolkits: [toolkit({ name: 'Kit', tools })] });
    const errorOf = async (name: string) => (await call({ tool_id: `Kit.${name}` })).json.result.error;
    expect(await errorOf('Plain')).toEqual({ message: 'no' });
    expect(await errorOf('Final')).toEqual({ message: 'no', can_retry: false, retry_after_ms: 2 });
    expect(await errorOf('Never')).toEqual({ message: 'no' });
  });

  test('OXP E3: an exception has a message for everybody, and its own text for developers', async () => {
    expect(await failed({ tool_id: 'Faulty.Throw', input: { what: 'error' } })).toEqual({
      message: GENERIC,
      developer_message: 'RangeError: the disk is full',
    });
  });

  test.each(['none', 'exception', 'stacktrace'] as const)('OXP E3: returnErrors %s', async (returnErrors) => {
    const started = await startToolServer({ returnErrors });
    const error = await failed({ tool_id: 'Faulty.Throw', input: { what: 'error' } }, started);
    expect(error.message).toBe(GENERIC);
    const shown = {
      none: undefined,
      exception: /^RangeError: the disk is full$/,
      stacktrace: /full\n\s+at .*toolkits/,
    };
    if (returnErrors === 'none') expect(error).not.toHaveProperty('developer_message');
    else expect(error.developer_message).toMatch(shown[returnErrors]);
  });

  test('OXP E3: an exception that callers do not see stands in the log', async () => {
    const lines = logLines();
    const started = await startToolServer({ returnErrors: 'none', logger: lines.logger });
    await failed({ tool_id: 'Faulty.Throw', call_id: 'c-1', trace_id: 't-1', input: { what: 'error' } }, started);
    const line = lines
      .text()
      .split('\n')
      .find((each) => each.includes('the disk is full'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 50,
      tool: 'Faulty.Throw@1.0.0',
      callId: 'c-1',
      traceId: 't-1',
    });
  });

  test.each(Object.keys(THROWN).flatMap((what) => [false, true].map((late) => [what, late] as const)))(
    'OXP E3: a tool may throw anything (%s, late: %j)',
    async (what, late) => {
      const error = await failed({ tool_id: 'Faulty.Throw', input: { what, late } });
      expect(error.message).toEqual(expect.any(String));
      expect((await server().get('/health')).status).toBe(200);
    },
  );

  test('OXP E4: a success has no error, and a failure no value', async () => {
    const { json } = await server().call({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } });
    expect(Object.keys(json.result)).toEqual(['call_id', 'duration', 'success', 'value']);
    await failed({ tool_id: 'Doorbell.Ring', input: { doorbell_id: 'x' } });
  });
});

describe('values that are wrong', () => {
  test.each([
    ['WrongOutput', 'sum: Invalid input: expected number, received string'],
    ['WrongSchema', '1: Must be an integer'],
    ['WrongStep', 'Invalid input: expected number, received string'],
  ])('OXP E5: what %s returns does not fit its output schema, and is not sent', async (name, detail) => {
    const error = await failed({ tool_id: `Faulty.${name}` });
    expect(error.message).toBe(GENERIC);
    expect(error.developer_message).toContain(detail);
    expect(JSON.stringify(error)).not.toContain('many');
  });

  test.each(Object.keys(UNSENDABLE))('OXP E5: %s cannot be sent', async (what) => {
    const error = await failed({ tool_id: 'Faulty.Return', call_id: crypto.randomUUID(), input: { what } });
    expect(error.message).toBe(GENERIC);
    expect(error.developer_message).toEqual(expect.any(String));
    expect((await server().get('/health')).status).toBe(200);
  });
});

describe('time limits', () => {
  test.each([
    ['Limited', true],
    ['Hasty', false],
  ])('OXP E6: %s takes too long: it is told to stop, and can_retry is %j', async (name, canRetry) => {
    const error = await failed({ tool_id: `Slow.${name}`, input: { tag: crypto.randomUUID() } });
    expect(error).toEqual({ message: 'The tool took longer than 20 ms', can_retry: canRetry });
    const { signal } = server().last(`Slow.${name}@1.0.0`).context;
    expect([signal.aborted, String(signal.reason)]).toEqual([true, 'Error: timed out after 20 ms']);
  });

  test('OXP E6: a tool within its time is not disturbed', async () => {
    const { call, gate, last } = server();
    gate('in time').open();
    expect((await call({ tool_id: 'Slow.Limited', input: { tag: 'in time' } })).json.result.success).toBe(true);
    expect(last('Slow.Limited@1.0.0').context.signal.aborted).toBe(false);
  });
});
