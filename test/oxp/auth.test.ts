import { type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { shareToolServer, startToolServer, type ToolServer } from './support.ts';

const SUM = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } };
const SECRET = 'a secret of at least thirty-two bytes';
const MINUTE = 60;

const apiKeys = [
  'plain-key',
  { key: 'admin-key', identity: 'ada', scopes: ['admin', 'reader'] },
  { key: 'guest-key', scopes: [] },
];
const jwt = { secret: SECRET, audience: ['tools.test', 'other.test'], maxLifetimeSeconds: 15 * MINUTE };

const open = shareToolServer();
const guarded = shareToolServer({ auth: { apiKeys, jwt } });

type Headers = Record<string, string>;

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const now = () => Math.floor(Date.now() / 1000);

/** A token with these claims, good for a minute unless they say otherwise. */
function sign(claims: JWTPayload, { alg = 'HS256', secret = SECRET } = {}): Promise<string> {
  const payload = { iat: now(), exp: now() + MINUTE, scope: '', aud: 'tools.test', ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

async function expectLetIn({ call, get }: ToolServer, headers: Headers): Promise<void> {
  expect((await call(SUM, { headers })).json.result?.value).toBe(3);
  expect((await get('/tools', { headers })).status).toBe(200);
}

async function expectKeptOut({ call, get, runs }: ToolServer, headers: Headers): Promise<void> {
  const before = runs.length;
  for (const [answer, status] of [
    [await call(SUM, { headers }), 400],
    [await get('/tools', { headers }), 401],
  ] as const) {
    expect(answer.status).toBe(status);
    expect(answer.json.message).toBe('Valid credentials are required');
    expect(answer.json).not.toHaveProperty('items');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  expect(runs.length).toBe(before);
}

describe('an open server', () => {
  test.each(['garbage', 'Bearer', 'Bearer garbage', 'Basic dXNlcjpwYXNz', 'Bearer a.b.c', '\u00ff'])(
    'OXP S1: Authorization %j is ignored',
    async (authorization) => expectLetIn(open(), { authorization, 'oxp-api-key': 'nobody-knows-it' }),
  );
});

describe('API keys', () => {
  test.each(['plain-key', 'admin-key', 'guest-key'])('OXP S2: the key %s opens the server', async (key) => {
    await expectLetIn(guarded(), { 'OXP-API-Key': key });
  });

  test.each(['', 'plain-ke', 'plain-key2', 'Plain-key', 'plain-key, admin-key', 'undefined', SECRET])(
    'OXP S2: %j is no key',
    async (key) => expectKeptOut(guarded(), { 'oxp-api-key': key }),
  );

  test('OXP S2: a key is taken from its header alone', async () => {
    await expectKeptOut(guarded(), { ...bearer('plain-key'), cookie: 'oxp-api-key=plain-key' });
    const { status } = await guarded().post('/tools/call?oxp-api-key=plain-key', { request: SUM });
    expect(status).toBe(400);
  });
});

describe('tokens', () => {
  test.each([
    ['no subject', {}],
    ['a subject', { sub: 'ada' }],
    ['an audience of the list', { aud: 'tools.test' }],
    ['several audiences, one of the list', { aud: ['nobody.test', 'other.test'] }],
    ['a life of 15 minutes', { exp: now() + 15 * MINUTE }],
  ])('OXP S3: a token with %s is valid', async (_what, claims) => {
    await expectLetIn(guarded(), bearer(await sign(claims)));
  });

  test.each<[string, () => Promise<string>]>([
    ['that is no token', async () => 'garbage'],
    ['that is empty', async () => ''],
    ['of another secret', () => sign({}, { secret: 'another secret of thirty-two bytes' })],
    ['that expired', () => sign({ iat: now() - 2 * MINUTE, exp: now() - MINUTE })],
    ['without exp', () => sign({ exp: undefined as never })],
    ['that is not valid yet', () => sign({ nbf: now() + MINUTE })],
    ['for another audience', () => sign({ aud: 'nobody.test' })],
    ['for other audiences', () => sign({ aud: ['nobody.test', 'tools.test.evil'] })],
    ['of HS512', () => sign({}, { alg: 'HS512', secret: SECRET.repeat(2) })],
    ['without scope', () => sign({ scope: undefined })],
    ['without audience', () => sign({ aud: undefined as never })],
    ['that lives too long', () => sign({ exp: now() + 16 * MINUTE })],
    [
      'that lives too long and says nothing of when it was made',
      () => sign({ iat: undefined as never, exp: now() + 60 * MINUTE }),
    ],
    ['that says it will be made later', () => sign({ iat: now() + 59 * MINUTE, exp: now() + 60 * MINUTE })],
    ['whose claims were changed', async () => forge(await sign({}), { sub: 'ada' }, 'HS256')],
    ['of alg none', async () => (await forge(await sign({}), {}, 'none')).replace(/[^.]+$/, '')],
    ['of alg None, with a signature', async () => forge(await sign({}), {}, 'None')],
    ['that says it is of RS256', async () => forge(await sign({}), {}, 'RS256')],
  ])('OXP S3: a token %s is refused', async (_what, make) => expectKeptOut(guarded(), bearer(await make())));

  function forge(token: string, claims: object, alg: string): string {
    const [, payload = '', signature = ''] = token.split('.');
    const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims };
    const parts = [{ alg, typ: 'JWT' }, changed].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    return [...parts, signature].join('.');
  }

  test('OXP S3: clocks may differ by a little', async () => {
    await expectLetIn(guarded(), bearer(await sign({ exp: now() - 2 })));
    await expectKeptOut(guarded(), bearer(await sign({ exp: now() - 20 })));
  });

  test('OXP S3: how long a token may live is an option', async () => {
    const started = await startToolServer({ auth: { jwt: { secret: SECRET } } });
    await expectLetIn(started, bearer(await sign({ exp: now() + 60 * 24 * MINUTE })));
  });
});

describe('who has no credentials', () => {
  test('OXP S4: is told 400 on calls and 401 on the list', async () => expectKeptOut(guarded(), {}));

  test('OXP S4: is told 401 on both, where the server is set to', async () => {
    const { call, get, post } = await startToolServer({ auth: { apiKeys }, oxp: { unauthorizedStatus: 401 } });
    for (const answer of [await call(SUM), await post('/call', { request: SUM }), await get('/tools')]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(answer.json.message).toBe('Valid credentials are required');
    }
  });

  test('OXP S4: does not hear what was wrong with them', async () => {
    const tries = [{}, { 'oxp-api-key': 'plain-ke' }, bearer('garbage'), bearer(await sign({ aud: 'nobody.test' }))];
    const bodies = await Promise.all(tries.map(async (headers) => (await guarded().call(SUM, { headers })).text));
    expect(new Set(bodies).size).toBe(1);
  });
});

describe('scopes', () => {
  const admin = { 'oxp-api-key': 'admin-key' };
  const guest = { 'oxp-api-key': 'guest-key' };
  const plain = { 'oxp-api-key': 'plain-key' };

  async function idsFor(headers: Headers): Promise<string[]> {
    const { json } = await guarded().get('/tools', { headers });
    return json.items.map(({ id }: { id: string }) => id).filter((id: string) => id.startsWith('Admin.'));
  }

  test('OXP S6: a tool is listed for those who have its scopes', async () => {
    const all = ['Admin.Reset@1.0.0', 'Admin.Read@1.0.0', 'Admin.Read@2.0.0'];
    expect(await idsFor(admin)).toEqual(all);
    // A key without a list has every scope.
    expect(await idsFor(plain)).toEqual(all);
    expect(await idsFor(guest)).toEqual(['Admin.Read@1.0.0']);
    expect(await idsFor(bearer(await sign({ scope: 'reader admin' })))).toEqual(all);
    expect(await idsFor(bearer(await sign({ scope: 'reader' })))).toEqual(['Admin.Read@1.0.0']);
  });

  test('OXP S6: for others it is as unknown as one that does not exist', async () => {
    const answerTo = async (id: string) => guarded().call({ tool_id: id, call_id: 'x' }, { headers: guest });
    const [hidden, unknown] = [await answerTo('Admin.Reset'), await answerTo('Admin.Rabbit')];
    expect(hidden.status).toBe(400);
    expect(hidden.text).toBe(unknown.text.replaceAll('Rabbit', 'Reset'));
    // Nor does a near miss give it away.
    expect((await answerTo('admin.reset')).text).not.toContain('Did you mean');
    expect((await answerTo('admin.read')).text).toContain('Did you mean Admin.Read');
    expect((await answerTo('Admin.Read@2.0.0')).text).toBe(
      (await answerTo('Admin.Read@3.0.0')).text.replace('3.0.0', '2.0.0'),
    );
    expect(guarded().count('Admin.Reset@1.0.0')).toBe(0);
  });

  test('OXP S6: the latest version is the latest that the caller may see', async () => {
    const valueFor = async (headers: Headers) =>
      (await guarded().call({ tool_id: 'Admin.Read' }, { headers })).json.result.value;
    expect([await valueFor(admin), await valueFor(guest)]).toEqual(['all', 'some']);
  });
});
