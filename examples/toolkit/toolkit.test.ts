import { connect, connectOxp, OxpServerError, OxpToolError, type ToolIdOf } from 'tiltyard/client';
import { createServer, type Server } from 'tiltyard/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sums } from './environment.ts';
import { calculator, doorbell, messages } from './toolkit.ts';

let server: Server;

beforeAll(async () => {
  server = await createServer({
    environments: [sums],
    toolkits: [calculator, doorbell, messages],
    logger: false,
  });
  await server.listen();
});

afterAll(() => server.close());

test('one definition answers over ORS with blocks and no reward, and over OXP with the value', async () => {
  await using session = await connect<typeof sums>(server.url).session({ split: 'train', index: 0 });
  const overOrs = await session.call('add', { a: 0.1, b: 0.2 });
  expect(overOrs).toMatchObject({ blocks: [{ type: 'text', text: '0.3' }], reward: null, finished: false });

  const overOxp = await connectOxp<typeof calculator>(server.url).call('Calculator.Add', { a: 0.1, b: 0.2 });
  expect(overOxp.value).toBe(0.3);

  expect(await session.call('submit', { answer: overOxp.value })).toMatchObject({ reward: 1, finished: true });
});

test('callers of the first version keep what they rely on', async () => {
  const client = connectOxp<typeof calculator>(server.url);
  const sum = async (id: ToolIdOf<typeof calculator>) => (await client.call(id, { a: 0.1, b: 0.2 })).value;
  expect(await sum('Calculator.Add@1')).toBe(0.30000000000000004);
  expect(await sum('Calculator.Add@1.0.0')).toBe(0.30000000000000004);
  expect(await sum('Calculator.Add@2.0.0')).toBe(0.3);
  expect(await sum('Calculator.Add')).toBe(0.3);
  expect((await client.call('Calculator.Add', { a: 1 / 3, b: 0, decimals: 2 })).value).toBe(0.33);
});

test('a doorbell that is not there is answered with those that are', async () => {
  const client = connectOxp<typeof doorbell>(server.url);
  expect((await client.call('Doorbell.Ring', { doorbell_id: 'doorbell42' })).value).toBeNull();
  const error = await client
    .call('Doorbell.Ring', { doorbell_id: 'doorbell1' }, { maxToolRetries: 0 })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OxpToolError);
  expect(error).toMatchObject({
    message: 'Doorbell ID not found',
    canRetry: true,
    additionalPromptContent: 'ids: doorbell42,doorbell84',
  });
});

test('a text is sent with the secret and for a user, and an error says what is missing', async () => {
  const client = connectOxp<typeof messages>(server.url);
  const text = { to: '+15550100', text: 'Tea is ready. '.repeat(20) };
  const error = await client.call('Messages.SendText', text).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OxpServerError);
  expect(error.missingRequirements).toEqual({ authorization: [], secrets: ['SMS_API_KEY'], userId: true });
  const send = (key: string) =>
    client.call('Messages.SendText', text, { context: { secrets: { SMS_API_KEY: key }, userId: 'ada' } });
  expect((await send('good-key')).value.segments).toBe(2);
  await expect(send('bad-key')).rejects.toThrow('The SMS provider refused the API key');
});

test("mail is read with the user's authorization, and an error says where to get one", async () => {
  const client = connectOxp<typeof messages>(server.url);
  await expect(client.call('Messages.ListMail')).rejects.toMatchObject({
    missingRequirements: { authorization: [{ id: 'mail', url: 'https://mail.example.com/authorize' }] },
  });
  const { value } = await client.call(
    'Messages.ListMail',
    {},
    { context: { authorization: { mail: 'token-of-ada' } } },
  );
  expect(value).toEqual(['Notes on the engine', 'Tea on Sunday?']);
});
