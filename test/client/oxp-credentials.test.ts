import { decodeProtectedHeader, jwtVerify } from 'jose';
import { connectOxp, type JwtSigning, OxpServerError } from 'tiltyard/client';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tool, toolkit } from '../../src/index.ts';
import { QUICK, rejection } from '../support/client.ts';
import { type ForeignServer, json, startForeign } from '../support/foreign.ts';

const SECRET = 'a shared secret of 32 bytes, or more';
const KEY = new TextEncoder().encode(SECRET);

const kit = toolkit({
  name: 'Kit',
  tools: { Open: tool({ run: () => 'open' }), Closed: tool({ scopes: ['inner'], run: () => 'closed' }) },
});

async function startTools(options: Omit<ServerOptions, 'toolkits'>): Promise<string> {
  const server = await createServer({ toolkits: [kit], logger: false, ...options });
  onTestFinished(() => server.close());
  return server.listen();
}

function startRecorder(): Promise<ForeignServer> {
  return startForeign({
    'GET /tools': json({ items: [] }),
    'POST /tools/call': json({ result: { call_id: 'a', success: true, value: 1 } }),
  });
}

const tokensOf = (server: ForeignServer) =>
  server.seen.map(({ headers }) => headers.authorization?.replace(/^Bearer /, '') ?? '');

test('OXP K4: an API key is sent as OXP-API-Key, and opens the server', async () => {
  const url = await startTools({ auth: { apiKeys: ['right'] } });
  const client = connectOxp(url, { apiKey: 'right' });
  expect(await client.tools()).toHaveLength(2);
  expect((await client.call('Kit.Open')).value).toBe('open');
  const recorder = await startRecorder();
  await connectOxp(recorder.url, { apiKey: 'right' }).tools();
  expect(recorder.seen[0]?.headers).toMatchObject({ 'oxp-api-key': 'right' });
  expect(recorder.seen[0]?.headers).not.toHaveProperty('authorization');
});

test('OXP K4: without an option the key is that of TILTYARD_API_KEY or ORS_API_KEY; an empty one sends none', async () => {
  const keyFor = async (options: Parameters<typeof connectOxp>[1]) => {
    const recorder = await startRecorder();
    await connectOxp(recorder.url, options).tools();
    return recorder.seen[0]?.headers['oxp-api-key'];
  };
  vi.stubEnv('TILTYARD_API_KEY', '');
  vi.stubEnv('ORS_API_KEY', 'of-all-clients');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await keyFor({})).toBe('of-all-clients');
  vi.stubEnv('TILTYARD_API_KEY', 'of-ours');
  expect(await keyFor({})).toBe('of-ours');
  expect(await keyFor({ apiKey: '' })).toBeUndefined();
  expect(await keyFor({ jwt: { secret: SECRET } })).toBeUndefined();
});

test.each([
  ['no credentials', { apiKey: '' }],
  ['a wrong key', { apiKey: 'wrong' }],
  ['a token of another secret', { jwt: { secret: `${SECRET}!` } }],
  ['a token for somebody else', { jwt: { secret: SECRET, audience: 'others' } }],
  ['a token that lives too long', { jwt: { secret: SECRET, lifetimeSeconds: 3600 } }],
])('OXP K4, K3: %s is an OxpServerError, once', async (_name, options) => {
  const url = await startTools({
    auth: { apiKeys: ['right'], jwt: { secret: SECRET, audience: ['tools'], maxLifetimeSeconds: 900 } },
  });
  const client = connectOxp(url, { ...options, retry: QUICK });
  // One after the other: a rejection that nobody awaits yet would count as unhandled.
  for (const [ask, status] of [
    [() => client.tools(), 401],
    [() => client.call('Kit.Open'), 400],
  ] as const) {
    const error = await rejection(ask());
    expect(error).toBeInstanceOf(OxpServerError);
    expect(error).toMatchObject({ status, message: 'Valid credentials are required' });
    expect(JSON.stringify(error)).not.toContain(SECRET);
  }
});

test('OXP K4: tokens are signed with the shared secret, and their scopes count', async () => {
  const url = await startTools({ auth: { jwt: { secret: SECRET, audience: ['tools'], maxLifetimeSeconds: 900 } } });
  const connected = (jwt: Partial<JwtSigning>) =>
    connectOxp(url, { jwt: { secret: SECRET, audience: 'tools', ...jwt } });
  const ids = async (jwt: Partial<JwtSigning>) => (await connected(jwt).tools()).map(({ id }) => id);
  expect(await ids({ scope: 'inner' })).toEqual(['Kit.Open@1.0.0', 'Kit.Closed@1.0.0']);
  expect(await ids({ scope: '' })).toEqual(['Kit.Open@1.0.0']);
  expect(await rejection(ids({}))).toMatchObject({ status: 401, developerMessage: expect.stringContaining("'scope'") });
  expect(await ids({ scope: 'other' })).toEqual(['Kit.Open@1.0.0']);
  expect((await connected({ scope: ['other', 'inner'] }).call('Kit.Closed')).value).toBe('closed');
});

test('OXP K4: a token says who calls, whom, for what, and not for long', async () => {
  const recorder = await startRecorder();
  const secret = KEY;
  const jwt = { secret, subject: 'agent-7', audience: ['tools', 'more'], scope: ['a', 'b'], lifetimeSeconds: 60 };
  await connectOxp(recorder.url, { jwt }).tools();
  const [token = ''] = tokensOf(recorder);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
  const { payload } = await jwtVerify(token, KEY, { algorithms: ['HS256'], audience: 'tools' });
  const { iat = 0, exp = 0, ...claims } = payload;
  expect(claims).toEqual({ sub: 'agent-7', aud: ['tools', 'more'], scope: 'a b' });
  expect(exp - iat).toBe(60);
  expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(5);
});

test('OXP K4: given both, the token is sent and the key is not', async () => {
  const recorder = await startRecorder();
  const headers = { authorization: 'Bearer old' };
  const client = connectOxp(recorder.url, { apiKey: 'a-key', jwt: { secret: SECRET }, headers });
  await client.tools();
  await client.call('Kit.Open');
  for (const { headers: sent } of recorder.seen) {
    expect(sent).not.toHaveProperty('oxp-api-key');
    expect(sent.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
  }
});

test('OXP K4: a token is kept until shortly before it expires', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const recorder = await startRecorder();
  const client = connectOxp(recorder.url, { jwt: { secret: SECRET, lifetimeSeconds: 100 } });
  const tokenAfter = async (seconds: number) => {
    vi.setSystemTime(Date.now() + seconds * 1000);
    await client.tools();
    return tokensOf(recorder).at(-1);
  };
  const first = await tokenAfter(0);
  expect(await tokenAfter(69)).toBe(first);
  const second = await tokenAfter(2);
  expect(second).not.toBe(first);
  expect(await tokenAfter(60)).toBe(second);
});

test.each([
  ['an empty secret', { secret: '' }, 'the JWT secret is empty'],
  ['a lifetime of nothing', { secret: SECRET, lifetimeSeconds: 0 }, 'lifetimeSeconds must be at least 1, not 0'],
])('%s is refused at once', (_name, jwt, message) => {
  expect(() => connectOxp('http://localhost:1', { jwt })).toThrow(message);
});

test('where the platform cannot sign, as on a page without https, the error says so', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = connectOxp('http://localhost:1', { jwt: { secret: SECRET } });
  expect(await rejection(client.tools())).toMatchObject({
    name: 'ClientError',
    message: expect.stringContaining('https'),
  });
});
