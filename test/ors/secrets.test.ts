import { expect, test } from 'vitest';
import { type Answer, shareServer, startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

const TASK = { task_spec: {} };

/** X-Secrets as the official clients write it. */
function header(value: unknown): { 'x-secrets': string } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { 'x-secrets': Buffer.from(text).toString('base64') };
}

function tryCreate(body: object, headers = {}, { post }: TestServer = server()): Promise<Answer> {
  return post('/create', { ...TASK, ...body }, { sid: crypto.randomUUID(), headers });
}

/** What a tool sees of the secrets that /create got. */
async function seen(body: object, headers = {}): Promise<unknown> {
  const { status, json } = await tryCreate(body, headers);
  expect(status).toBe(200);
  const { result } = await server().call(json.sid, 'secret');
  return JSON.parse(result?.output.blocks[0].text);
}

test('S17: setup and tools see the secrets of the body', async () => {
  const secrets = { api_key: 'sk-1', 'odd name': 'ü "quoted"\n', empty: '', toString: 'own' };
  const own = await startServer({
    environments: [
      minimal({
        setup: (context) => context.secrets,
        tools: { tell: { run: (_input, context) => ({ setup: context.state, tool: context.secrets }) } },
      }),
    ],
  });
  const { json } = await tryCreate({ secrets }, {}, own);
  const { result } = await own.call(json.sid, 'tell', {}, { env: 'minimal' });
  expect(JSON.parse(result?.output.blocks[0].text)).toEqual({ setup: secrets, tool: secrets });
});

test.each([{}, { secrets: null }, { secrets: {} }])('S17: with %j there are no secrets', async (body) => {
  expect(await seen(body)).toEqual({});
});

test.each([{ k: 1 }, { k: null }, { k: true }, { k: { value: 'v' } }, { good: 'v', k: ['v'] }, ['v'], 'v', 5])(
  'S18: secrets that are %j are 400, and the message does not repeat them',
  async (secrets) => {
    const { status, json } = await tryCreate({ secrets });
    expect(status).toBe(400);
    expect(json.detail).toMatch(/^(the secret 'k' must be a string|'secrets' must be an object of strings)/);
  },
);

test('S18: more secrets than anybody needs are 400', async () => {
  const secrets = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  expect((await tryCreate({ secrets: secrets(100) })).status).toBe(200);
  const { status, json } = await tryCreate({ secrets: secrets(101) });
  expect([status, json.detail]).toEqual([400, 'a session takes at most 100 secrets, not 101']);
  expect((await tryCreate({ secrets: { k: 'v'.repeat(65_536) } })).status).toBe(200);
  const long = await tryCreate({ secrets: { k: 'v'.repeat(65_537) } });
  expect([long.status, long.json.detail]).toEqual([400, 'the secret "k" must have at most 65536 characters']);
});

test('S19: secrets are read from the X-Secrets header', async () => {
  const secrets = { a: { value: 'from header' }, b: { value: 'ü', allowed_domains: ['api.example.com'] } };
  expect(await seen({}, header(secrets))).toEqual({ a: 'from header', b: 'ü' });
});

test('S19: the body wins where both name a secret', async () => {
  const headers = header({ a: { value: 'header' }, b: { value: 'header' } });
  expect(await seen({ secrets: { b: 'body', c: 'body' } }, headers)).toEqual({ a: 'header', b: 'body', c: 'body' });
});

test('S19: base64 for URLs, and without padding, is read as well', async () => {
  const secrets = JSON.stringify({ a: { value: '??>>~~ü' } });
  const encoded = Buffer.from(secrets).toString('base64url');
  expect(encoded).toMatch(/[-_]/);
  expect(await seen({}, { 'x-secrets': encoded })).toEqual({ a: '??>>~~ü' });
});

test.each([
  ['no base64', { 'x-secrets': '{"a":{"value":"v"}}' }],
  ['no JSON', header('{"a":')],
  ['an array', header([])],
  ['text', header('"v"')],
  ['null', header('null')],
  ['a number for a secret', header({ a: 1 })],
  ['a secret without a value', header({ a: { allowed_domains: [] } })],
  ['a number for a value', header({ a: { value: 1 } })],
])('S19: an X-Secrets header that is %s is 400', async (_what, headers) => {
  const { status, json } = await tryCreate({}, headers);
  expect(status).toBe(400);
  expect(json.detail).toContain('X-Secrets must be base64 of a JSON object');
});
