import { connectOxp, OutcomeUnknown } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { beforeOxpAnswer, cutServer } from './cuts.ts';
import { describeWithPython, shareLangChainServer } from './python.ts';

describeWithPython('our client at the tool server of LangChain, langchain-tool-server 0.2.3', () => {
  const serverUrl = shareLangChainServer();

  test('OXP K5: lists tools, which have no version and no toolkit', async () => {
    const tools = await connectOxp(serverUrl()).tools();
    expect(tools.map(({ id }) => id)).toEqual(['add', 'count', 'boom', 'headers']);
    expect(tools[0]).toMatchObject({
      name: 'add',
      description: 'Add two numbers.',
      version: '',
      input_schema: { type: 'object', required: ['a', 'b'] },
      output_schema: { type: 'number' },
    });
  });

  test('OXP K5: calls a tool, and gets the id that the server gave the call', async () => {
    const result = await connectOxp(serverUrl()).call('add', { a: 1, b: 2 }, { callId: 'mine' });
    expect(result).toEqual({
      callId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      durationMs: expect.any(Number),
      value: 3,
      outcome: 'returned',
    });
  });

  test.each([
    ['an unknown tool', 'nope', {}, { name: 'OxpServerError', status: 403 }],
    ['a bad input', 'add', { a: 1 }, { name: 'OxpServerError', status: 400, message: /'b' is a required property/ }],
    ['a tool that throws', 'boom', {}, { name: 'HttpError', status: 500, detail: 'Internal Server Error' }],
  ])('OXP K3, K5: %s is told with what the server said', async (_name, id, input, { message, ...known }: any) => {
    const error = await connectOxp(serverUrl())
      .call(id, input)
      .catch((thrown) => thrown);
    expect(error).toMatchObject(known);
    if (message !== undefined) expect(error.message).toMatch(message);
  });

  test('OXP K4: sends its credentials, and is told when they are refused', async () => {
    const send = async (options: object) => (await connectOxp(serverUrl(), options).call('headers')).value;
    expect(await send({ apiKey: 'a-key' })).toEqual({ 'oxp-api-key': 'a-key' });
    const secret = 'a shared secret of 32 bytes, or more';
    expect(await send({ jwt: { secret } })).toEqual({ authorization: expect.stringMatching(/^Bearer ey/) });
    const refused = connectOxp(serverUrl(), { headers: { Authorization: 'Bearer wrong' } });
    await expect(refused.tools()).rejects.toMatchObject({
      name: 'OxpServerError',
      status: 401,
      message: 'who are you?',
    });
  });

  test('OXP K5: it takes no notice of ids, so that a call that is cut is not sent again once that is known', async () => {
    const { proxy, url } = await cutServer(serverUrl(), beforeOxpAnswer);
    const client = connectOxp(url);
    await client.tools();
    await expect(client.call('count', { key: 'cut' })).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(proxy.cuts).toBe(1);
    expect((await client.call('count', { key: 'cut' })).value).toBe(2);
  });
});
