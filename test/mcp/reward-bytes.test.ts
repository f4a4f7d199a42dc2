import { expect, onTestFinished, test } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { agentMessages, OF_REWARDS } from './agent-messages.ts';
import { CLIENTS, connectMcp } from './clients.ts';
import { PIXEL } from './environments.ts';
import { ERAS } from './rpc.ts';
import { startMcp } from './server.ts';

/** An address behind a proxy that keeps every byte of the answers. */
async function recorded(url: string): Promise<{ address: string; bytes: () => string }> {
  const answers = new Map<number, Buffer>();
  const target = new URL(url);
  const proxy = await startCuttingProxy(Number(target.port), {
    cutWhen: ({ connection, response }) => void answers.set(connection, response),
  });
  onTestFinished(() => proxy.close());
  target.port = String(proxy.port);
  return { address: target.href, bytes: () => Buffer.concat([...answers.values()]).toString('latin1') };
}

test.each(ERAS)('M8: every byte that an agent’s connection carries is without the reward (%s era)', async (era) => {
  const { open, get, post } = await startMcp();
  const { sid, url } = await open();
  const { address, bytes } = await recorded(url);
  const say = async (method: string, headers: Readonly<Record<string, string>>, body: string | null) =>
    (await fetch(address, { method, headers, body })).text();
  const messages = agentMessages(era);
  for (const { headers, body } of messages) await say('POST', headers, body);
  // What is refused before it is read.
  const [{ headers: plain }] = messages as [(typeof messages)[0]];
  for (const body of ['{', '[]', '5', '{"jsonrpc":"2.0"}']) await say('POST', plain, body);
  await say('POST', { ...plain, 'content-type': 'text/plain' }, '{}');
  await say('POST', { ...plain, origin: 'https://evil.example' }, '{}');
  for (const method of ['GET', 'DELETE', 'PUT']) await say(method, {}, null);
  await post('/delete', undefined, { sid });
  for (const { headers, body } of messages) await say('POST', headers, body);
  const seen = bytes();
  for (const part of ['A pixel.', PIXEL, 'Wrong.', 'Right.', 'Find the key first.', 'episode has ended'])
    expect(seen).toContain(part);
  expect(seen).not.toMatch(OF_REWARDS);
  // It was paid nevertheless, three times.
  expect((await get('/metrics')).text).toMatch(/^tiltyard_episode_reward_sum\{environment="quiz"\} 1\.854/m);
});

test.each(CLIENTS)('M8: the same for a client of the SDK that listens to everything (%s)', async (kind) => {
  const { open } = await startMcp();
  const { address, bytes } = await recorded((await open()).url);
  const client = await connectMcp(kind, address);
  await client.listTools();
  await client.callTool({ name: 'look', _meta: { progressToken: 'p' } });
  await client.callTool({ name: 'submit', arguments: { answer: '42' } });
  await client.callTool({ name: 'submit', arguments: { answer: 'late' } });
  const seen = bytes();
  expect(seen).toContain('Right.');
  expect(seen).not.toMatch(OF_REWARDS);
});
