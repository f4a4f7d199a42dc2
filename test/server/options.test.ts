import Fastify from 'fastify';
import { createServer, type HostEvent, ors, oxp } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer, type TestOptions } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { bank } from './toolkits.ts';

describe('options that mean nothing are refused at start', () => {
  test.each<[message: string, options: object]>([
    ["createServer has an unknown key 'Auth'. Did you mean 'auth'?", { Auth: { apiKeys: ['hush'] } }],
    ['createServer: environments must be an array', { environments: minimal() }],
    ['createServer: toolkits must be an array', { toolkits: bank }],
    [`createServer: returnErrors must be 'none', 'exception' or 'stacktrace', not "off"`, { returnErrors: 'off' }],
    [`createServer: toolErrors must be 'auto', 'http' or 'envelope', not "status"`, { toolErrors: 'status' }],
    ['createServer: lenientInputs must be true or false, not "no"', { lenientInputs: 'no' }],
    ['createServer: metrics must be true or false, not 0', { metrics: 0 }],
    ['createServer: pingMs must be a number from 1 to 29999, not "10"', { pingMs: '10' }],
    ['createServer: announceAfterMs must be a number from 0 to 29999, not 30000', { announceAfterMs: 30_000 }],
    ["sessions has an unknown key 'callsAfterfinish'. Did you mean", { sessions: { callsAfterfinish: 'allow' } }],
    [`sessions: clientTaskIds must be 'start' or 'refuse', not "never"`, { sessions: { clientTaskIds: 'never' } }],
    ['oxp: unauthorizedStatus must be 400 or 401, not 403', { oxp: { unauthorizedStatus: 403 } }],
    ["oxp has an unknown key 'returnErrors'", { oxp: { returnErrors: 'none' } }],
    [
      '`host` cannot be combined with `cluster`',
      { host: () => ({}), cluster: { nats: 'nats://hush@127.0.0.1:1', nodeName: 'a' } },
    ],
    ['`host` cannot be combined with `cluster` or `workers`', { host: () => ({}), workers: { modules: ['hush.ts'] } }],
    ['auth must be an object', { auth: 'hush' }],
    ["auth has an unknown key 'apikeys'. Did you mean 'apiKeys'?", { auth: { apikeys: ['hush'] } }],
    ['auth: apiKeys must be an array', { auth: { apiKeys: 'hush' } }],
    ['API key 1 must be an object', { auth: { apiKeys: [null] } }],
    ["API key 1 has an unknown key 'scope'. Did you mean", { auth: { apiKeys: [{ key: 'hush', scope: ['agent'] }] } }],
    ['API key 1: scopes must be an array of strings', { auth: { apiKeys: [{ key: 'hush', scopes: 'agent' }] } }],
    ["auth.jwt has an unknown key 'audiences'. Did you mean 'audience'?", { auth: { jwt: { audiences: ['me'] } } }],
    ['auth.jwt: audience must be an array of strings', { auth: { jwt: { audience: 'me' } } }],
    ['auth.jwt: maxLifetimeSeconds must be a number from 1', { auth: { jwt: { maxLifetimeSeconds: Number.NaN } } }],
    ["auth.jwt: missingClaims must be 'refuse' or 'allow', not true", { auth: { jwt: { missingClaims: true } } }],
    ['auth.jwt: clockSkewSeconds must be a number from 0, not -1', { auth: { jwt: { clockSkewSeconds: -1 } } }],
  ])('%s', async (message, options) => {
    const error: Error = await startServer(options as TestOptions).then(
      () => new Error('it was started'),
      (thrown) => thrown,
    );
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('hush');
  });

  test('also by a face that is mounted, which leaves those of Fastify alone', async () => {
    const ready = async (plugin: typeof ors | typeof oxp, options: object) => {
      const app = Fastify();
      onTestFinished(() => app.close());
      app.register(plugin as typeof ors, options as never);
      await app.ready();
    };
    await ready(ors, { environments: [minimal()], prefix: '/a', logLevel: 'warn', logSerializers: {} });
    await ready(oxp, { toolkits: [bank], prefix: '/b' });
    await expect(ready(ors, { environments: [minimal()], atuh: {} })).rejects.toThrow("Did you mean 'auth'?");
    await expect(ready(oxp, { toolkits: [bank], returnErrors: true })).rejects.toThrow('returnErrors must be');
  });
});

test('a server that cannot be made leaves nothing behind', async () => {
  const before = process.listenerCount('exit');
  const broken = { ...minimal(), tools: { look: { input: { type: 'nonsense' }, run: () => '' } } };
  const mistakes = [
    { environments: [broken] },
    { auth: { apiKeys: [''] } },
    { environments: [] },
    // No folder can be made there.
    { record: { folder: '/dev/null/records' } },
  ];
  for (const options of mistakes)
    await expect(createServer({ environments: [minimal()], ...options } as never)).rejects.toThrow();
  expect(process.listenerCount('exit')).toBe(before);
});

test('an observer hears of calls to toolkits as of those in sessions', async () => {
  const heard: unknown[] = [];
  const observer = {
    on(event: HostEvent) {
      if (event.type === 'call_ended') heard.push([event.call.tool, event.outcome, event.call.session !== undefined]);
    },
  };
  const server = await startServer({ toolkits: [bank], sessions: { observer } });
  await server.call(await server.create(), 'submit', { answer: '0' });
  const request = { tool_id: 'Nowhere.Nothing', input: {} };
  await server.post('/tools/call', { request });
  expect(heard).toEqual([
    ['submit', 'returned', true],
    ['(unknown)', 'tool_error', false],
  ]);
});
