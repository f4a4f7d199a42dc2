import { expect, test, vi } from 'vitest';
import { openSession, quickClient, rejection } from '../support/client.ts';
import { type ForeignServer, json, type Route, startForeign } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

const FIRST = { split: 'train', index: 0 };

/** Answers 308 to another path. */
function redirect(target: string, status = 308): Route {
  return ({ response }) => response.writeHead(status, { location: target }).end();
}

test.each([307, 308])('K13: a %i is followed with method, body and headers', async (status) => {
  const server = await startForeign({
    'POST /create': redirect('/elsewhere/create', status),
    'POST /elsewhere/create': json({ sid: 'x' }),
  });
  const client = quickClient(server, { apiKey: 'key', headers: { 'X-Deployment': 'blue' } });
  await using session = await client.session({ ...FIRST, secrets: { A: 'b' } });
  const [first, second] = [server.on('/create')[0], server.on('/elsewhere/create')[0]];
  expect(second?.body).toEqual(first?.body);
  for (const name of ['x-session-id', 'x-api-key', 'x-deployment', 'x-secrets', 'content-type', 'accept']) {
    expect(second?.headers[name], name).toBe(first?.headers[name]);
    expect(second?.headers[name], name).toBeTypeOf('string');
  }
  expect(session.sid).toBe(first?.headers['x-session-id']);
});

test('K13: this server’s redirect of a path without an environment is followed', async () => {
  const server = await startServer();
  const bare = new Set<string>();
  const session = await quickClient(server, {
    fetch(url, init) {
      // Without the environment when it is first asked for; then the redirect has added it.
      if (!url.includes('/math/') || bare.delete(url)) return fetch(url, init);
      bare.add(url);
      return fetch(url.replace('/math/', '/'), init);
    },
  }).session(FIRST);
  expect(await session.call('num', { x: 1 })).toMatchObject({ text: expect.stringContaining('"x":1') });
  expect(await session.prompt()).toMatchObject([{ text: 'math: What is 0+0?' }, {}]);
  await session.close();
});

test('K13: another origin gets neither key nor secrets', async () => {
  const thief = await startForeign();
  const server = await startForeign({ 'POST /create': redirect(`${thief.url}/create`) });
  const error = await rejection(quickClient(server, { apiKey: 'key' }).session({ ...FIRST, secrets: { A: 'b' } }));
  expect(error).toMatchObject({ name: 'HttpError', status: 308 });
  expect(thief.seen).toEqual([]);
});

test('K13: redirects that lead in a circle end', async () => {
  const server = await startForeign({ 'GET /list_environments': redirect('/list_environments') });
  expect(await rejection(quickClient(server).environments())).toMatchObject({ status: 308 });
  expect(server.seen.length).toBeLessThan(10);
});

test('K15: secrets go in the body and in X-Secrets, whatever characters they have', async () => {
  const secrets = { KEY: 'schlüssel ✓ 😀', EMPTY: '', LONG: 'x'.repeat(8_000) };
  const server = await startForeign();
  await using session = await quickClient(server).session({ ...FIRST, secrets });
  expect(session.sid).not.toBe('');
  const [create] = server.on('/create');
  expect(create?.body.secrets).toEqual(secrets);
  expect(JSON.parse(Buffer.from(String(create?.headers['x-secrets']), 'base64').toString())).toEqual({
    KEY: { value: secrets.KEY },
    EMPTY: { value: '' },
    LONG: { value: secrets.LONG },
  });
});

test('K15: secrets reach an environment of this server', async () => {
  const server = await startServer();
  await using session = await quickClient(server).session({ ...FIRST, secrets: { KEY: 'ü ✓' } });
  expect((await session.call('secret')).text).toBe('{"KEY":"ü ✓"}');
});

test('K15: a server that refuses secrets in the body gets them in the header alone', async () => {
  const refusal = [{ type: 'extra_forbidden', loc: ['body', 'secrets'], msg: 'Extra inputs are not permitted' }];
  const server = await startForeign({
    'POST /create': (exchange) =>
      ('secrets' in exchange.seen.body ? json({ detail: refusal }, 422) : json({ sid: 'x' }))(exchange),
  });
  await using session = await quickClient(server).session({ ...FIRST, secrets: { A: 'b' } });
  expect(session.sid).not.toBe('');
  expect(server.on('/create').map(({ body }) => Object.keys(body))).toEqual([
    ['env_name', 'split', 'index', 'secrets'],
    ['env_name', 'split', 'index'],
  ]);
  expect(server.on('/create')[1]?.headers['x-secrets']).toBeTypeOf('string');
});

test('K15: any other 422 is an error', async () => {
  const refusal = [{ loc: ['body', 'index'], msg: 'Input should be a valid integer' }];
  const server = await startForeign({ 'POST /create': json({ detail: refusal }, 422) });
  const error = await rejection(quickClient(server).session({ ...FIRST, secrets: { A: 'b' } }));
  expect(error).toMatchObject({ status: 422, detail: 'body.index: Input should be a valid integer' });
  expect(server.on('/create')).toHaveLength(1);
});

test('K15: without secrets there is neither', async () => {
  const server = await startForeign();
  await openSession(server);
  expect(server.on('/create')[0]?.body).not.toHaveProperty('secrets');
  expect(server.on('/create')[0]?.headers).not.toHaveProperty('x-secrets');
});

const keysOf = ({ seen }: ForeignServer) => new Set(seen.map(({ headers }) => headers['x-api-key']));

/** Opens a session, does a little of everything, and closes it. */
async function useAll(server: ForeignServer, options: { apiKey?: string | undefined }): Promise<void> {
  const client = quickClient(server, options);
  await client.environments();
  await using session = await client.session({ ...FIRST, secrets: { A: 'b' } });
  await session.tools();
  await session.prompt();
  await session.call('add');
  await session.ping();
}

test('K21: the API key goes with every request, and never among the secrets', async () => {
  const server = await startForeign();
  await useAll(server, { apiKey: 'the-key' });
  expect(keysOf(server)).toEqual(new Set(['the-key']));
  const [create] = server.on('/create');
  expect(create?.body.secrets).toEqual({ A: 'b' });
  expect(Buffer.from(String(create?.headers['x-secrets']), 'base64').toString()).not.toContain('the-key');
});

test('K21: without an option the key is that of TILTYARD_API_KEY or ORS_API_KEY; an empty one sends none', async () => {
  vi.stubEnv('TILTYARD_API_KEY', '');
  vi.stubEnv('ORS_API_KEY', 'of-all-clients');
  try {
    const server = await startForeign();
    await useAll(server, { apiKey: undefined });
    expect(keysOf(server)).toEqual(new Set(['of-all-clients']));
    vi.stubEnv('TILTYARD_API_KEY', 'of-ours');
    const preferring = await startForeign();
    await useAll(preferring, { apiKey: undefined });
    expect(keysOf(preferring)).toEqual(new Set(['of-ours']));
    const other = await startForeign();
    await useAll(other, { apiKey: '' });
    expect(keysOf(other)).toEqual(new Set([undefined]));
  } finally {
    vi.unstubAllEnvs();
  }
});

test('K21: a header of the caller’s in another case replaces, and is not added', async () => {
  const server = await startForeign();
  await quickClient(server, { headers: { accept: 'application/x-own', 'X-Deployment': 'blue' } }).environments();
  expect(server.seen[0]?.headers).toMatchObject({ accept: 'application/x-own', 'x-deployment': 'blue' });
});

const TOOLS = { tools: [{ name: 'shared', description: '', input_schema: null }] };

test('K17: the tools of a session are those of /task_tools', async () => {
  const server = await startServer();
  const session = await openSession(server);
  const tools = (await session.tools()).map(({ name }) => name);
  expect(tools).toContain('submit');
  expect(tools).toContain('hint');
  const shared = await quickClient(server).environment('math').tools();
  expect(shared.map(({ name }) => name)).not.toContain('hint');
});

test('K17: only where that route is missing, they are those of /tools', async () => {
  const server = await startForeign({
    'GET /math/task_tools': json({ detail: 'Not Found' }, 404),
    'GET /math/tools': json(TOOLS),
  });
  const session = await openSession(server);
  expect(await session.tools()).toEqual(TOOLS.tools);
  expect(server.on('/math/tools')[0]?.headers['x-session-id']).toBe(session.sid);
});

test.each([
  [404, 'Environment not found'],
  [500, 'Not Found'],
  [403, 'Not Found'],
])('K17: a %i with “%s” is an error', async (status, detail) => {
  const server = await startForeign({
    'GET /math/task_tools': json({ detail }, status),
    'GET /math/tools': json(TOOLS),
  });
  expect(await rejection((await openSession(server)).tools())).toMatchObject({ status, detail });
  expect(server.on('/math/tools')).toEqual([]);
});

test('K17: tools come in the format of a model provider if asked for', async () => {
  const server = await startServer();
  const session = await openSession(server);
  const [submit] = await session.tools({ format: 'anthropic' });
  expect(submit).toMatchObject({ name: 'submit', input_schema: { type: 'object', required: ['answer'] } });
  const [openai] = await quickClient(server).environment('math').tools({ format: 'openai-chat' });
  expect(openai).toMatchObject({ type: 'function', function: { name: 'submit' } });
});

test('a fetch of the program may set the signal of a request, and it ends the request', async () => {
  const server = await startForeign({ 'GET /list_environments': () => {} });
  const reason = new Error('given up');
  const client = quickClient(server, {
    fetch(url, init) {
      init.signal = AbortSignal.any([init.signal as AbortSignal, AbortSignal.abort(reason)]);
      return fetch(url, init);
    },
  });
  const error = await rejection(client.environments());
  expect(error.errors.at(-1).cause).toBe(reason);
});
