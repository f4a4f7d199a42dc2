import { describe, expect, test } from 'vitest';
import { logLines } from '../support/log-lines.ts';
import { shareToolServer, startToolServer } from './support.ts';

const server = shareToolServer();

const GOOGLE = { id: 'google', token: 'ya29.token-of-the-user' };
const TWILIO = [
  { id: 'TWILIO_SID', value: 'AC-sid-value' },
  { id: 'TWILIO_KEY', value: 'SK-key-value' },
];
const URL_OF_GOOGLE = 'https://auth.test/google';

describe('tracing', () => {
  test('OXP I3: the trace_id reaches the tool, its log lines and the line of its call', async () => {
    const lines = logLines();
    const started = await startToolServer({ logger: lines.logger });
    const request = { tool_id: 'Faulty.Leak', call_id: 'c-7', trace_id: 'trace-7', input: { how: 'log' } };
    expect((await started.call(request)).json.result.value).toBe('logged');
    expect(started.last('Faulty.Leak@1.0.0').context.traceId).toBe('trace-7');
    const traced = lines
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ traceId }) => traceId === 'trace-7');
    expect(traced.map(({ msg }) => msg)).toEqual([expect.stringContaining('tried'), 'call']);
    expect(traced.map(({ callId, tool }) => [callId, tool])).toEqual(traced.map(() => ['c-7', 'Faulty.Leak@1.0.0']));
  });

  test('OXP I3: without one, the tool has none', async () => {
    await server().call({ tool_id: 'Shapes.NoInput' });
    expect(server().last('Shapes.NoInput@1.0.0').context.traceId).toBeUndefined();
  });

  test.each([
    ['Doorbell.Ring', { doorbell_id: 'x' }, 30, "tool 'Doorbell_Ring' reported a failure"],
    ['Slow.Hasty', { tag: 'log' }, 40, "tool 'Slow_Hasty' took longer than 20 ms"],
    ['Faulty.Return', { what: 'bigint' }, 50, "tool 'Faulty_Return' failed"],
    ['Faulty.WrongOutput', {}, 50, "tool 'Faulty_WrongOutput' failed"],
  ])('OXP I3: the end of %s is told in the log, with its trace_id', async (toolId, input, level, msg) => {
    const lines = logLines();
    const { call } = await startToolServer({ logger: lines.logger });
    await call({ tool_id: toolId, trace_id: 'trace-8', input });
    const line =
      lines
        .text()
        .split('\n')
        .find((each) => each.includes('trace-8')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ level, msg, traceId: 'trace-8' });
  });
});

describe('requirements', () => {
  test.each([
    ['Needs.Mail', {}, { authorization: [{ id: 'google', url: URL_OF_GOOGLE }] }],
    [
      'Needs.Mail',
      { authorization: [{ id: 'github', token: 'x' }] },
      { authorization: [{ id: 'google', url: URL_OF_GOOGLE }] },
    ],
    ['Needs.Sms', {}, { secrets: [{ id: 'TWILIO_SID' }, { id: 'TWILIO_KEY' }], user_id: true }],
    ['Needs.Sms', { secrets: TWILIO }, { user_id: true }],
    ['Needs.Sms', { secrets: TWILIO.slice(1), user_id: 'u' }, { secrets: [{ id: 'TWILIO_SID' }] }],
    [
      'Needs.All',
      undefined,
      { authorization: [{ id: 'a', url: URL_OF_GOOGLE }], secrets: [{ id: 's' }], user_id: true },
    ],
  ])('OXP S5: %s with the context %j lacks something', async (toolId, context, missing) => {
    const before = server().runs.length;
    const { status, json } = await server().call({ tool_id: toolId, input: { to: 'x' }, context });
    expect(status).toBe(400);
    expect(json.message).toBe(`Tool '${toolId.replace('.', '_')}' is missing what it requires`);
    expect(json.missing_requirements).toEqual(missing);
    expect(server().runs.length).toBe(before);
  });

  test('OXP S5: what is given reaches the tool by name', async () => {
    const { call, last } = server();
    const mail = await call({ tool_id: 'Needs.Mail', input: { to: 'x' }, context: { authorization: [GOOGLE] } });
    expect(mail.json.result.value).toBe('x with 22 characters');
    expect(last('Needs.Mail@1.0.0').context.authorization).toEqual({ google: GOOGLE.token });
    const sms = await call({ tool_id: 'Needs.Sms', input: { to: 'x' }, context: { secrets: TWILIO, user_id: 'u-1' } });
    expect(sms.json.result.value).toBe('x for u-1');
    expect(last('Needs.Sms@1.0.0').context.secrets).toEqual({ TWILIO_SID: 'AC-sid-value', TWILIO_KEY: 'SK-key-value' });
  });

  test('OXP S5: names of the prototype are names like others', async () => {
    const secrets = [
      { id: '__proto__', value: 'polluted' },
      { id: 'constructor', value: 'x' },
    ];
    const { status } = await server().call({ tool_id: 'Shapes.NoInput', context: { secrets } });
    expect(status).toBe(200);
    expect(Object.keys(server().last('Shapes.NoInput@1.0.0').context.secrets)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const { json } = await server().call({ tool_id: 'Needs.All', context: { secrets, user_id: 'u' } });
    expect(json.missing_requirements.secrets).toEqual([{ id: 's' }]);
  });
});

describe('secrets', () => {
  // Both under one id, which must not hide one from those who hide them.
  const context = {
    secrets: [{ id: 'API_KEY', value: 'sk-hush-secret' }],
    authorization: [{ id: 'API_KEY', token: 'tok-hush-token' }],
    user_id: 'u-1',
  };

  test.each(['throw', 'fail', 'log'])('OXP S5: a tool that would %s them tells nobody', async (how) => {
    const lines = logLines();
    const { call } = await startToolServer({ logger: lines.logger, returnErrors: 'stacktrace' });
    const request = { tool_id: 'Faulty.Leak', call_id: 'leak', trace_id: 'hush-hush', input: { how } };
    const first = await call({ ...request, context });
    expect(first.text).not.toMatch(/hush-(secret|token)/);
    if (how !== 'log') expect(first.text).toContain('[secret] and [secret]');
    // A repeat hides them too, whatever it brings itself.
    const repeated = await call({ ...request, context: { user_id: 'u-1' } });
    expect(repeated.text).toBe(first.text);
    expect(lines.text()).toContain('[secret]');
    expect(lines.text()).not.toMatch(/hush-(secret|token)/);
  });

  test('OXP S5: they are in no error about the request', async () => {
    const lines = logLines();
    const { call, post } = await startToolServer({ logger: lines.logger });
    const answers = await Promise.all([
      call({ tool_id: 'Needs.All', context }),
      call({ tool_id: 'Calculator.Add', input: {}, context }),
      call({ tool_id: 'Nobody.Knows', context }),
      call({ tool_id: 'Calculator.Add', context, unknown: 1 }),
      post('/tools/call', { $schema: 'urn:oxp:9.0', request: { tool_id: 'Calculator.Add', context } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 422, 400, 400, 400]);
    for (const { text } of answers) expect(text).not.toContain('hush');
    expect(lines.text()).not.toContain('hush');
  });
});
