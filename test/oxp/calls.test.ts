import { describe, expect, test } from 'vitest';
import { shareToolServer } from './support.ts';

const server = shareToolServer();

const SUM = { tool_id: 'Calculator.Add@1.0.0', input: { a: 10, b: 5 } };

describe('a call', () => {
  test.each(['/tools/call', '/call', '/tools/call/', '/tools/call?a=b'])('OXP O5: %s takes calls', async (path) => {
    const { status, json } = await server().post(path, { request: SUM });
    expect([status, json.result.value]).toEqual([200, 15]);
  });

  test('OXP O5: keys beside the request are left alone', async () => {
    const { json } = await server().post('/tools/call', { request: SUM, comment: 'x' });
    expect(json.result.value).toBe(15);
  });

  test('OXP O6: a success has an id, a duration in whole milliseconds and the value', async () => {
    const { json } = await server().call({ ...SUM, call_id: 'sum' });
    const duration = expect.toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0 && ms < 1_000);
    expect(json).toEqual({ $schema: 'urn:oxp:1.0', result: { call_id: 'sum', duration, success: true, value: 15 } });
  });

  test.each(['Shapes.NoOutput', 'Shapes.Untold'])(
    'OXP O6: the value of %s, which returns nothing, is null',
    async (id) => {
      const { result } = (await server().call({ tool_id: id })).json;
      expect(result).toMatchObject({ success: true, value: null });
    },
  );

  const VALUES: unknown[] = [0, '', false, null, [], {}, [1, [2, { a: null }]], 'é 漢字 😀', 1e300, { toString: 'x' }];
  test.each(VALUES.map((each) => [each]))('OXP O6: the value %j arrives as it is', async (value) => {
    const { json } = await server().call({ tool_id: 'Shapes.Echo', input: { value } });
    expect(json.result.value).toEqual({ value });
  });

  test('OXP O6: a step becomes its text: rewards are for episodes', async () => {
    expect((await server().call({ tool_id: 'Shapes.Step' })).json.result.value).toBe('told');
  });

  test('OXP O6: text beyond what a tool may return is cut, as it is over ORS', async () => {
    const { value } = (await server().call({ tool_id: 'Shapes.Long' })).json.result;
    expect(value).toBe(`${'x'.repeat(10)}\n[output cut: 10 of 100 bytes shown]`);
  });

  test('OXP O6: any other value that is too long is an error, since half of it would be another value', async () => {
    const call = async (value: string) =>
      (await server().call({ tool_id: 'Shapes.LongList', input: { value } })).json.result;
    expect(await call('123456')).toMatchObject({ success: true, value: ['123456'] });
    // As many characters, and more bytes.
    expect(await call('12345é')).toMatchObject({
      success: false,
      error: { developer_message: expect.stringContaining('more than 10 bytes of JSON. Return less') },
    });
  });

  test('OXP O6: text in blocks is cut as well, and the blocks keep their form', async () => {
    const called = async (toolId: string) => (await server().call({ tool_id: toolId })).json.result.value;
    const cut = { type: 'text', text: `${'x'.repeat(10)}\n[output cut: 10 of 100 bytes shown]`, detail: null };
    expect(await called('Shapes.LongBlock')).toEqual(cut);
    expect(await called('Shapes.LongBlocks')).toEqual([cut, expect.objectContaining({ type: 'image', data: 'aGk=' })]);
  });

  test('OXP O6: images do not count as text', async () => {
    const { value } = (await server().call({ tool_id: 'Shapes.Picture' })).json.result;
    expect(value).toEqual([expect.objectContaining({ type: 'image', data: 'aGk='.repeat(10) })]);
  });

  test('OXP O6: the tool sees defaults, and its input without what its schema does not name', async () => {
    const at = { x: 1 };
    await server().call({ tool_id: 'Shapes.Nested', input: { name: 'a', at, unknown: 1 } });
    expect(server().last('Shapes.Nested@1.0.0').input).toEqual({ name: 'a', at, path: [] });
  });
});

describe('the version of the protocol', () => {
  test.each([
    undefined,
    'urn:oxp:1.0',
    'https://raw.githubusercontent.com/OpenExecProtocol/OpenExecProtocol/refs/heads/main/spec/http/1.0/openapi.json',
  ])('OXP V1: the schema %s means 1.0', async ($schema) => {
    const { status, json } = await server().post('/tools/call', { $schema, request: SUM });
    expect([status, json.result.value]).toEqual([200, 15]);
  });

  const UNSUPPORTED = [
    'urn:oxp:9.0',
    'urn:oxp:1',
    'urn:oxp:1.0 ',
    'URN:OXP:1.0',
    'not a uri',
    '',
    null,
    1,
    true,
    {},
    [],
  ];
  const OTHERS = ['https://x.test/spec/http/2.0/openapi.json', '/spec/http/1.0/openapi.json'];
  test.each([...UNSUPPORTED, ...OTHERS].map((each) => [each]))(
    'OXP V2: the schema %j is not supported',
    async ($schema) => {
      const before = server().runs.length;
      const { status, json } = await server().post('/tools/call', { $schema, request: SUM });
      expect(status).toBe(400);
      expect(json.message).toBe('This version of OXP is not supported');
      expect(json.developer_message).toContain('urn:oxp:1.0');
      expect(server().runs.length).toBe(before);
    },
  );

  // Every answer of these files is checked for it; here once more in one place.
  test('OXP V3: answers of every kind name the version', async () => {
    const { get, call, request } = server();
    const answers = await Promise.all([
      get('/tools'),
      call(SUM),
      call({ tool_id: 'Doorbell.Ring', input: { doorbell_id: 'a' } }),
      call({ tool_id: 'Calculator.Add' }),
      call({ tool_id: 'Nobody.Knows' }),
      call(undefined),
      request('PUT', '/tools'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 400, 400, 405]);
    expect(answers.map(({ json }) => json.$schema)).toEqual(answers.map(() => 'urn:oxp:1.0'));
  });
});
