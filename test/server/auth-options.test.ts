import fc from 'fast-check';
import Fastify from 'fastify';
import { type AuthOptions, type JwtOptions, ors, oxp } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { AUTH, type Credentials, KEYS, SECRET, secondsFromNow, withKey, withToken } from './credentials.ts';
import { describedBy } from './described.ts';
import { send, sidFor } from './operations.ts';
import { expectRefused } from './refused.ts';
import { bank } from './toolkits.ts';

const TEAM = withKey(KEYS.team);
const AGENT = withKey(KEYS.agent);

test.each<[what: string, auth: AuthOptions, message: string]>([
  ['nothing', {}, 'at least one API key, or jwt'],
  ['no keys', { apiKeys: [] }, 'at least one API key, or jwt'],
  ['an empty key', { apiKeys: ['good', ''] }, 'API key 2 must consist of visible ASCII'],
  ['a key of spaces', { apiKeys: ['  '] }, 'API key 1 must consist of visible ASCII'],
  ['a key with a space at its end', { apiKeys: ['hush '] }, 'API key 1 must consist of visible ASCII'],
  ['a key that no header can carry', { apiKeys: ['hush-ключ'] }, 'API key 1 must consist of visible ASCII'],
  ['a key that is no text', { apiKeys: [{ key: 5 as never }] }, 'API key 1 must consist of visible ASCII'],
  ['one key twice', { apiKeys: ['hush', { key: 'hush', scopes: ['agent'] }] }, 'API keys 1 and 2 are the same'],
  ['an empty identity', { apiKeys: [{ key: 'hush', identity: '' }] }, 'the identity of API key 1'],
  ['an identity with a line break', { apiKeys: [{ key: 'hush', identity: 'a\nb' }] }, 'the identity of API key 1'],
  ['an empty secret', { jwt: { secret: '' } }, 'at least 32 bytes, and has 0'],
  ['a short secret', { jwt: { secret: 'hush'.repeat(7) } }, 'at least 32 bytes, and has 28'],
  ['a short secret of bytes', { jwt: { secret: new Uint8Array(31) } }, 'at least 32 bytes, and has 31'],
  ['a short secret beside a key', { apiKeys: ['good'], jwt: { secret: 'hush' } }, 'at least 32 bytes, and has 4'],
])('a server cannot be started with %s, and hears why without a secret being told', async (_what, auth, message) => {
  const error: Error = await startServer({ auth }).then(
    () => new Error('it was started'),
    (thrown) => thrown,
  );
  expect(error.message).toContain(message);
  expect(error.message).not.toContain('hush');
  await expect(startServer({ environments: [], toolkits: [bank], auth })).rejects.toThrow(message);
});

test('a secret is measured in bytes', async () => {
  await expect(startServer({ auth: { jwt: { secret: 'é'.repeat(16) } } })).resolves.toBeDefined();
});

test.each<[what: string, options: Partial<JwtOptions>, claims: object, status: number]>([
  ['that lives for an hour, where nobody limits it', {}, { exp: secondsFromNow(3600) }, 200],
  ['for any audience, where none is asked for', {}, { aud: 'anybody' }, 200],
  ['that expired within the skew of the clocks', { clockSkewSeconds: 600 }, { exp: secondsFromNow(-20) }, 200],
  ['that expired before it', { clockSkewSeconds: 10 }, { exp: secondsFromNow(-20) }, 401],
  ['for somebody, where nobody is meant', { audience: [] }, { aud: 'x' }, 401],
  ['without a scope', {}, { scope: undefined }, 401],
  ['without a scope, where that is allowed', { missingClaims: 'allow' }, { scope: undefined }, 200],
  ['without an audience', { audience: ['tiltyard'] }, { aud: undefined }, 401],
  ['without an audience, where none is asked for', {}, { aud: undefined }, 200],
  [
    'without an audience, where that is allowed',
    { audience: ['tiltyard'], missingClaims: 'allow' },
    { aud: undefined },
    200,
  ],
  ['for a part of an audience', { audience: ['tiltyard'] }, { aud: 'tilt' }, 401],
])('a token %s', async (_what, options, claims, status) => {
  const { get } = await startServer({ auth: { jwt: { secret: SECRET, ...options } } });
  expect((await get('/list_environments', { headers: withToken(claims) })).status).toBe(status);
});

test('who signs a token without limits is told what it lacks; a stranger is not', async () => {
  const { get } = await startServer({ auth: { jwt: { secret: SECRET, audience: ['tiltyard'] } } });
  const ask = async (credentials: Credentials) => (await get('/list_environments', { headers: credentials })).json;
  const bare = { scope: undefined, aud: undefined };
  expect(await ask(withToken(bare))).toMatchObject({
    code: 'unauthorized',
    detail: expect.stringMatching(/'scope' .* and the claim 'aud'/),
  });
  const { detail } = await ask(withToken(bare, 'another-secret-that-tests-may-know'));
  expect(detail).toMatch(/^valid credentials are required/);
});

test('a token without a scope that is allowed may do everything, as before', async () => {
  const { post } = await startServer({ auth: { jwt: { secret: SECRET, missingClaims: 'allow' } } });
  const headers = withToken({ scope: undefined, aud: undefined });
  expect((await post('/math/tasks', { split: 'train' }, { headers })).status).toBe(200);
});

test.each<[what: string, auth: AuthOptions, credentials: Credentials]>([
  ['a key, where there are only tokens', { jwt: { secret: SECRET } }, TEAM],
  ['a token, where there are only keys', { apiKeys: [KEYS.team] }, withToken()],
])('%s, opens nothing', async (_what, auth, headers) => {
  const { get } = await startServer({ auth });
  expect((await get('/list_environments', { headers })).status).toBe(401);
});

test.each([400, 401] as const)(
  'OXP S4: a call without credentials is %i where the server is set to it',
  async (status) => {
    const only = await startServer({
      environments: [],
      toolkits: [bank],
      auth: AUTH,
      oxp: { unauthorizedStatus: status },
    });
    const { operations, contract } = await describedBy(only, TEAM);
    expect(operations.map(({ face }) => face)).not.toContain('ors');
    for (const operation of operations.filter(({ isOpen }) => !isOpen)) {
      const answer = await send(only, operation);
      expectRefused(operation, answer, status);
      contract.expect(operation, answer);
    }
    expect((await only.get('/health')).json).toEqual({ status: 'ok' });
  },
);

test('OXP S1: without auth, whatever comes as credentials is ignored', async () => {
  const open = await startServer({ toolkits: [bank] });
  const { operations } = await describedBy(open);
  for (const headers of [{ authorization: 'Bearer nonsense' }, { authorization: '%' }, withKey(''), withKey('x')]) {
    for (const operation of operations) {
      const sid = await sidFor(open, operation, headers);
      expect((await send(open, operation, { sid, headers })).status, operation.name).toBe(200);
    }
  }
});

test('OXP S2: a key of any length and of all that a header can carry is compared as a whole', async () => {
  const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  const keys = fc.string({ unit: visible, minLength: 1, maxLength: 5_000 }).filter((key) => key.trim() === key);
  await fc.assert(
    fc.asyncProperty(keys, async (key) => {
      const keyed = await startServer({ environments: [minimal()], auth: { apiKeys: ['#first', key] } });
      const statusOf = async (given: string) =>
        (await keyed.server.app.inject({ url: '/version', headers: withKey(given) })).statusCode;
      expect(await statusOf(key)).toBe(200);
      for (const wrong of [`${key}x`, `x${key}`, key.slice(0, -1)]) expect(await statusOf(wrong)).toBe(401);
    }),
    { numRuns: 20 },
  );
});

test('the faces ask the same of their callers where they are mounted under a prefix', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(ors, { environments: fixture().environments, auth: AUTH, prefix: '/v1' });
  await app.register(oxp, { toolkits: [bank], auth: AUTH, prefix: '/v2' });
  const statusOf = async (request: string, headers: Credentials = {}) => {
    const [method, url] = request.split(' ') as ['POST', string];
    const payload = method === 'POST' ? { payload: { split: 'train' } } : {};
    return (await app.inject({ method, url, headers, ...payload })).statusCode;
  };
  const statuses = async (request: string) => [
    await statusOf(request),
    await statusOf(request, AGENT),
    await statusOf(request, TEAM),
  ];
  expect(await statuses('GET /v1/health')).toEqual([200, 200, 200]);
  expect(await statuses('GET /v2/health')).toEqual([200, 200, 200]);
  expect(await statuses('GET /v1/math/tools')).toEqual([401, 200, 200]);
  expect(await statuses('GET /v1/tools')).toEqual([401, 308, 308]);
  expect(await statuses('POST /v1/math/tasks')).toEqual([401, 403, 200]);
  expect(await statuses('POST /v1/tasks')).toEqual([401, 403, 308]);
  expect(await statuses('GET /v2/tools')).toEqual([401, 200, 200]);
});
