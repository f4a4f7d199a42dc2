import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gate } from '../support/gate.ts';
import { shareServer, startServer, type TestOptions } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { describedBy } from './described.ts';
import { type Operation, send, sidFor } from './operations.ts';
import { startWatched } from './registered.ts';
import { bank } from './toolkits.ts';

const KEY = { 'x-api-key': 'orchestrator-key' };
const AGENT = { 'x-api-key': 'agent-key' };
const AUTH = {
  apiKeys: [{ key: KEY['x-api-key'] }, { key: AGENT['x-api-key'], scopes: ['agent'] }],
  jwt: { secret: 's'.repeat(32) },
};

// What a server can be made of: its routes and their description depend on it.
const SERVERS: [what: string, options: TestOptions][] = [
  ['environments', {}],
  ['one environment', { environments: [minimal()] }],
  ['toolkits', { environments: [], toolkits: [bank] }],
  ['environments and toolkits', { toolkits: [bank] }],
];

const WITH_AUTH: typeof SERVERS = SERVERS.map(([what, options]) => [`${what}, with auth`, { ...options, auth: AUTH }]);

describe('the document', () => {
  test.each(SERVERS)(
    'of a server of %s describes every route that does more than redirect or refuse, and nothing else',
    async (_what, options) => {
      const [{ server, ...requests }, routes] = await startWatched(options);
      const nameOf = ({ method, url }: { method: string; url: string }) =>
        `${method} ${url.replace(/:(\w+)/g, '{$1}')}`;
      const { operations } = await describedBy(requests);
      const described = operations.map(({ method, route }) => `${method} ${route}`);
      const undescribed = routes.filter((route) => route.method !== 'HEAD' && !described.includes(nameOf(route)));
      expect(routes.map(nameOf)).toEqual(expect.arrayContaining(described));
      for (const route of undescribed) {
        const { statusCode }: LightMyRequestResponse = await server.app.inject({
          method: route.method as 'GET',
          url: route.url.replace(/:\w+/g, 'x'),
          headers: { 'content-type': 'application/json' },
        });
        expect([308, 405], `${nameOf(route)} is not described, and answers ${statusCode}`).toContain(statusCode);
      }
    },
  );

  test.each([
    ...SERVERS,
    ...WITH_AUTH,
    ['environments, with keys alone', { auth: { apiKeys: AUTH.apiKeys } }] as const,
    [
      'tools that need input',
      { environments: [minimal({ tools: { put: { input: z.object({ a: z.string() }), run: () => 1 } } })] },
    ] as const,
  ])('of a server of %s is valid OpenAPI 3.1 and lints clean', async (_what, options) => {
    const { document } = await describedBy(await startServer(options), KEY);
    expect(document.openapi).toMatch(/^3\.1\./);
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  test('is the same for everybody who may read it, and names no tool that some may not see', async () => {
    const { get } = await startServer({ toolkits: [bank], auth: AUTH });
    const { status, text } = await get('/openapi.json', { headers: KEY });
    expect(await get('/openapi.json', { headers: AGENT })).toMatchObject({ status, text });
    expect(text).toContain('Bank.Rate');
    expect(text).not.toContain('Bank.Pay');
  });

  test('tells agents from orchestrators as the server does', async () => {
    const server = await startServer({ auth: AUTH });
    const { operations } = await describedBy(server, KEY);
    for (const operation of operations) {
      const { status } = await send(server, operation, { sid: 'unknown', headers: AGENT });
      const closed = operation.responses[403]?.description.includes("'agent'") === false;
      expect(status === 403, operation.name).toBe(closed);
    }
  });
});

describe('what the server does', () => {
  test.each([...SERVERS, ...WITH_AUTH])(
    'with %s: it takes the examples, and answers as it says',
    async (_what, options) => {
      const server = await startServer(options);
      const { operations, contract } = await describedBy(server, KEY);
      for (const operation of operations) {
        const answer = await send(server, operation, { sid: await sidFor(server, operation, KEY), headers: KEY });
        expect(answer.status, `${operation.name}: ${answer.text}`).toBe(200);
        contract.expect(operation, answer);
      }
    },
  );

  // Ways to go wrong; a route that does not care about one answers as ever.
  const WRONG: [what: string, change: Partial<Operation> & { sid?: string; headers?: Record<string, string> }][] = [
    ['no credentials', { headers: {} }],
    ['a key of lesser rights', { headers: AGENT }],
    ['a session that is not there', { sid: 'unknown' }],
    ['a session id that is too long', { sid: 'x'.repeat(300) }],
    ['a body that is no object', { body: [] }],
    ['a body of wrong fields', { body: { split: 5, name: 5, input: 5, request: 5 } }],
    ['a call of no tool', { body: { name: 'nope', input: {}, request: { tool_id: 'No.Tool' } } }],
    ['an input that does not fit', { body: { name: 'submit', input: {}, request: { tool_id: 'Bank.Add' } } }],
    ['a call that lacks requirements', { body: { name: 'boom', input: {}, request: { tool_id: 'Bank.Transfer' } } }],
    ['a split that is not there', { body: { split: 'nope', index: 0 } }],
  ];
  const server = shareServer({ toolkits: [bank], auth: AUTH });
  test.each(WRONG)(
    'with %s: it answers as it says on every route',
    async (_what, { sid, headers = KEY, ...change }) => {
      const { operations, contract } = await describedBy(server(), KEY);
      for (const operation of operations) {
        const own = await sidFor(server(), operation, KEY);
        const changed = { ...operation, ...(operation.method === 'POST' ? change : {}) };
        contract.expect(operation, await send(server(), changed, { sid: own && (sid ?? own), headers }));
      }
    },
  );

  test.each([
    ['an ended session', async (sid: string) => server().post('/delete', undefined, { sid, headers: KEY })],
    ['a finished episode', async (sid: string) => server().call(sid, 'submit', { answer: '' }, { headers: KEY })],
  ])('with %s: it answers as it says on every route', async (_what, end) => {
    const { operations, contract } = await describedBy(server(), KEY);
    for (const operation of operations.filter(({ needsSession }) => needsSession)) {
      const sid = (await sidFor(server(), operation, KEY)) ?? '';
      await end(sid);
      contract.expect(operation, await send(server(), operation, { sid, headers: KEY }));
    }
  });

  test.each(['big', 'boom', 'fail', 'details', 'empty', 'nan', 'num'])(
    'with a call of %s: the events are those of the document',
    async (name) => {
      const { contract, find } = await describedBy(server(), KEY);
      const operation = find('POST /math/call');
      for (const agent of ['node', 'ors-sdk/0.1.0']) {
        const headers = { ...KEY, 'user-agent': agent };
        const body = { name, input: name === 'big' ? { n: 10_000, ch: 'x' } : {} };
        const sid = await sidFor(server(), operation, KEY);
        contract.expect(operation, await send(server(), { ...operation, body }, { sid, headers }));
      }
    },
  );

  test('with a client that prefers events: the id of a session comes as the document says', async () => {
    const { contract, find } = await describedBy(server(), KEY);
    const operation = find('POST /create_session');
    const answer = await send(server(), operation, { headers: { ...KEY, accept: 'text/event-stream' } });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    contract.expect(operation, answer);
  });

  test('while it stops: /health answers as the document says', async () => {
    const [reached, allowed] = [gate(), gate()];
    const teardown = () => {
      reached.open();
      return allowed.opened;
    };
    const stopping = await startServer({ environments: [minimal({ teardown })] });
    const { contract, find } = await describedBy(stopping);
    await stopping.create();
    const closed = stopping.server.close();
    await reached.opened;
    const answer = await stopping.get('/health');
    allowed.open();
    await closed;
    expect(answer.status).toBe(503);
    contract.expect(find('GET /health'), answer);
  });

  // Each with all that makes it right or wrong; what is right for the one must be right for the other.
  const BODIES: [name: string, bodies: readonly unknown[]][] = [
    [
      'POST /create',
      [
        { split: 'train', index: 0 },
        { task_spec: {}, env_name: null, secrets: null, split: null, index: null },
        { split: 'train', index: 0, task_spec: null, secrets: { a: 'b' }, foo: 1 },
        { split: 'train', index: 0, task_spec: {} },
        { split: 'train' },
        { index: 0 },
        { task_spec: [] },
        { task_spec: {}, index: 0 },
        { task_spec: {}, secrets: { a: 1 } },
        { task_spec: {}, env_name: 5 },
        { split: 'train', index: 1.5 },
        { split: 'train', index: -1 },
        {},
        [],
      ],
    ],
    [
      'POST /math/task',
      [{ split: 'train', index: 9 }, { split: 'train' }, { index: 0 }, { split: 'train', index: '0' }],
    ],
    [
      'POST /math/task_range',
      [{ split: 'train', start: null, stop: -1 }, { split: 'train', start: 1.5 }, { start: 0 }],
    ],
    [
      'POST /math/call',
      [
        { name: 'noargs', input: {}, task_id: null },
        { name: 'noargs', input: {}, task_id: 'mine' },
        { name: 'noargs', input: {}, task_id: '' },
        { name: 'noargs', input: {}, task_id: 'a b' },
        { name: '', input: {} },
        { name: 'noargs' },
        { name: 'noargs', input: [] },
      ],
    ],
    [
      'POST /tools/call',
      [
        { request: { tool_id: 'Bank.Rate' } },
        { $schema: 'urn:oxp:1.0', request: { tool_id: 'Bank.Rate@1', input: {}, trace_id: 't', context: {} } },
        { request: { tool_id: 'Bank.Rate', call_id: '' } },
        { request: { tool_id: 'Bank.Rate', other: 1 } },
        { request: { tool_id: 'Bank Rate' } },
        { request: { tool_id: 'Bank.Rate', context: { secrets: [{ id: 'a' }] } } },
        { request: {} },
        {},
      ],
    ],
  ];
  test.each(BODIES)('with a body of %s: the schema takes what the server takes', async (name, bodies) => {
    const { document, contract, find } = await describedBy(server(), KEY);
    const operation = find(name);
    const { schema } = document.paths[operation.route].post.requestBody.content['application/json'];
    const taken: unknown[] = [];
    for (const body of bodies) {
      const sid = await sidFor(server(), operation, KEY);
      const { status } = await send(server(), { ...operation, body }, { sid, headers: KEY });
      expect(contract.fits(schema, body), `${JSON.stringify(body)}: ${status}`).toBe(status === 200);
      if (status === 200) taken.push(body);
    }
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.length).toBeLessThan(bodies.length);
  });
});
