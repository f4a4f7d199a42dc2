import Fastify, { type FastifyInstance } from 'fastify';
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
    ['createServer: journal must be an object with folder, keys, sync', { journal: 'hush' }],
    ["createServer: journal has an unknown key 'foldr'. Did you mean 'folder'?", { journal: { foldr: 'a' } }],
    ["journal has an unknown key 'path'. Known keys: folder, keys, sync", { journal: { folder: 'a', path: 'hush' } }],
    ['createServer: journal.folder must be the path of a folder, not nothing', { journal: {} }],
    ['createServer: journal.keys must be an array of strings', { journal: { folder: 'a', keys: 'hush' } }],
    ['createServer: journal.keys must be an array of strings', { journal: { folder: 'a', keys: ['hush', 5] } }],
    ['createServer: journal.sync must be true or false, not "yes"', { journal: { folder: 'a', sync: 'yes' } }],
    ['createServer: record must be an object with folder, maxBytes, not "a"', { record: 'a' }],
    ["createServer: record has an unknown key 'maxByte'. Did you mean", { record: { folder: 'a', maxByte: 1e7 } }],
    ['createServer: record.folder must be the path of a folder, not ""', { record: { folder: '' } }],
    [
      'createServer: record.maxBytes must be a whole number of bytes from 1000000, not 10',
      { record: { folder: 'a', maxBytes: 10 } },
    ],
    ['createServer: workers must be an object with modules, count, not 2', { workers: 2 }],
    [
      "workers has an unknown key 'processes'. Known keys: modules, count",
      { workers: { modules: ['a'], processes: 2 } },
    ],
    [
      "createServer: workers.modules must be an array, such as ['./environment.ts'], not",
      { workers: { modules: 'a' } },
    ],
    ['createServer: workers.modules must be an array with at least one file', { workers: { modules: [] } }],
    ['workers.modules[1] must be the path or URL of a file, not an object', { workers: { modules: ['a', {}] } }],
    ['workers.count must be a whole number of processes from 1, not 0', { workers: { modules: ['a'], count: 0 } }],
    ['createServer: cluster must be an object with nats, nodeName, replicas, keys', { cluster: 'nats://me:hush@nats' }],
    ["cluster has an unknown key 'nodename'. Did you mean 'nodeName'?", { cluster: { nats: 'hush', nodename: 'a' } }],
    ['cluster.nats must be an address such as nats://localhost:4222', { cluster: { nats: ['hush'], nodeName: 'a' } }],
    [
      "cluster.nodeName must be 1 to 64 letters, digits, '-' or '_', not",
      { cluster: { nats: 'hush', nodeName: 'a b' } },
    ],
    [
      'cluster.replicas must be a whole number of servers from 1 to 5, not 6',
      { cluster: { nats: 'hush', nodeName: 'a', replicas: 6 } },
    ],
    ['cluster.keys must be an array of strings', { cluster: { nats: 'hush', nodeName: 'a', keys: 'hush' } }],
    ['createServer: mcp must be true, false or an object with key', { mcp: 'hush' }],
    ["createServer: mcp has an unknown key 'keys'. Did you mean 'key'?", { mcp: { keys: ['hush'] } }],
    ['createServer: mcp.key must be a string of at least 32 characters', { mcp: { key: 'hush' } }],
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

  test.each(['/', '/arena/', '/:tenant/arena', '/arena/*'])(
    'also a prefix under which paths would be wrong: %s',
    async (prefix) => {
      for (const mount of [
        (app: FastifyInstance) => app.register(ors, { environments: [minimal()], prefix }),
        (app: FastifyInstance) => app.register(oxp, { toolkits: [bank], prefix }),
        (app: FastifyInstance) =>
          app.register(async (inner) => inner.register(ors, { environments: [minimal()] }), { prefix }),
      ]) {
        const app = Fastify();
        onTestFinished(() => app.close());
        mount(app);
        await expect(app.ready()).rejects.toThrow(`and without a slash at its end, not "${prefix}"`);
      }
    },
  );
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
