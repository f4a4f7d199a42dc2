// The code of docs/tools.md, which quotes it paragraph by paragraph; oxp-document.test.ts runs it and compares.
import { connectOxp, fromProviderCall, OxpToolError, type ProviderTools, toProviderTools } from 'tiltyard/client';
import { createServer } from 'tiltyard/server';
import { sums } from '../../examples/toolkit/environment.ts';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';

export async function serveGuide(secret: string): Promise<void> {
  await using server = await createServer({
    toolkits: [calculator, doorbell, messages],
    environments: [sums],
    auth: { jwt: { secret }, apiKeys: [{ key: 'a-key', identity: 'mail-agent', scopes: ['mail'] }] },
  });

  const client = connectOxp(await server.listen(), { jwt: { secret, subject: 'me', scope: 'mail' } });
  console.log((await client.tools()).length);
}

export async function oxpGuide(url: string): Promise<void> {
  const client = connectOxp<typeof calculator | typeof doorbell>(url);
  const { value, callId, durationMs } = await client.call('Calculator.Add', { a: 0.1, b: 0.2 });
  console.log(value); // => 0.3

  if (callId.length !== 36 || durationMs < 0) throw new Error('the result is odd');

  try {
    await client.call('Doorbell.Ring', { doorbell_id: 'doorbell1' }, { maxToolRetries: 0 });
  } catch (error) {
    if (!(error instanceof OxpToolError)) throw error;
    console.log(error.message, error.additionalPromptContent); // => Doorbell ID not found ids: doorbell42,doorbell84
  }

  const offered = (await client.tools()).filter(({ id }) => id === 'Calculator.Add@2.0.0');
  const answer = await askModel(toProviderTools(offered, 'anthropic'));
  const { name, input } = fromProviderCall(answer, 'anthropic');
  const called = offered.find((each) => each.name === name);
  if (called !== undefined) console.log((await connectOxp(url).call(called.id, input)).value); // => 42

  const order = { callId: 'order-7' };
  const first = await client.call('Calculator.Add', { a: 1, b: 2 }, order);
  const again = await client.call('Calculator.Add', { a: 1, b: 2 }, order);
  console.log(first.callId === again.callId, first.durationMs === again.durationMs); // => true true
}

/** In place of a model: asks for a sum. */
async function askModel([tool]: ProviderTools<'anthropic'>): Promise<object> {
  return { type: 'tool_use', id: 'toolu_1', name: tool?.name, input: { a: 40, b: 2 } };
}
