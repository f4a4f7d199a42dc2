import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { AuthOptions } from 'tiltyard/server';

/** Headers with which a request says who it comes from. */
export type Credentials = Readonly<Record<string, string>>;

/** With which callers share the making of tokens. */
export const SECRET = 'a-secret-that-only-tests-may-know';

/** All kinds of keys: two of one team, one of another, two that only tools know, and one for the metrics. */
export const KEYS = {
  team: 'key-of-the-team',
  agent: 'key-of-its-agent',
  rival: 'key-of-a-rival',
  teller: 'key-of-a-teller',
  nobody: 'key-of-a-nobody',
  scraper: 'key-of-a-scraper',
};

/** Longer tokens are refused. */
const MAX_LIFETIME = 900;

export const AUTH: AuthOptions = {
  apiKeys: [
    { key: KEYS.team, identity: 'team' },
    { key: KEYS.agent, identity: 'team', scopes: ['agent'] },
    KEYS.rival,
    { key: KEYS.teller, scopes: ['billing'] },
    { key: KEYS.nobody, scopes: [] },
    { key: KEYS.scraper, scopes: ['metrics'] },
  ],
  jwt: { secret: SECRET, audience: ['tiltyard', 'other'], maxLifetimeSeconds: MAX_LIFETIME },
};

/** A key in the header of ORS, which OXP takes as well. */
export function withKey(key: string): Credentials {
  return { 'x-api-key': key };
}

/** A token of the team that is good for a minute, with other claims if the test gives them; undefined takes one out. */
export function withToken(claims: object = {}, secret: string = SECRET): Credentials {
  return toToken('HS256', claims, (text) => createHmac('sha256', secret).update(text).digest('base64url'));
}

/** The number of a second, as tokens tell the time. */
export function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

// Made by hand, not by the library that checks them.
function toToken(alg: string, claims: object, signOver: (text: string) => string): Credentials {
  const usual = { sub: 'team', aud: 'tiltyard', scope: 'orchestrator billing', exp: secondsFromNow(MAX_LIFETIME - 60) };
  const text = `${encode({ alg, typ: 'JWT' })}.${encode({ ...usual, ...claims })}`;
  return bearer(`${text}.${signOver(text)}`);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function bearer(token: string): Credentials {
  return { authorization: `Bearer ${token}` };
}

function tokenOf({ authorization = '' }: Credentials): string {
  return authorization.slice('Bearer '.length);
}

/** A token whose owner has given himself another identity. */
function tampered(): Credentials {
  const [, , signature = ''] = tokenOf(withToken()).split('.');
  return toToken('HS256', { sub: 'rival' }, () => signature);
}

function signedByKeyPair(): Credentials {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return toToken('RS256', {}, (text) => sign('sha256', Buffer.from(text), privateKey).toString('base64url'));
}

function signedAs(alg: string, hash: string): Credentials {
  return toToken(alg, {}, (text) => createHmac(hash, SECRET).update(text).digest('base64url'));
}

/** Everything that opens nothing. */
export const refused = (): [what: string, credentials: Credentials][] => [
  ['no credential', {}],
  ['a wrong key', withKey('key-of-the-tea')],
  ['a key in other case', withKey(KEYS.team.toUpperCase())],
  ['an empty key', withKey('')],
  ['two keys in one header', withKey(`${KEYS.team}, ${KEYS.rival}`)],
  ['a wrong key for OXP', { 'oxp-api-key': 'wrong-key-4711' }],
  ['a key as a bearer token', bearer(KEYS.team)],
  ['a key as a password', { authorization: `Basic ${Buffer.from(`:${KEYS.team}`).toString('base64')}` }],
  ['the secret itself as a key', withKey(SECRET)],
  ['the secret itself as a token', bearer(SECRET)],
  ['a token as a key', withKey(tokenOf(withToken()))],
  ['a token without the word Bearer', { authorization: tokenOf(withToken()) }],
  ['an expired token', withToken({ exp: secondsFromNow(-60) })],
  ['a token that does not expire', withToken({ exp: undefined })],
  ['a token that expires at no time', withToken({ exp: 'never' })],
  ['a token for later', withToken({ nbf: secondsFromNow(3600) })],
  ['a token of another secret', withToken({}, 'another-secret-that-tests-may-know')],
  ['a token with another payload', tampered()],
  ['a token without a signature', toToken('HS256', {}, () => '')],
  ['a token of the algorithm none', toToken('none', {}, () => '')],
  ['a token of the algorithm none, signed all the same', signedAs('none', 'sha256')],
  ['a token of the algorithm RS256', signedByKeyPair()],
  ['a token of the algorithm HS512', signedAs('HS512', 'sha512')],
  ['a token for another audience', withToken({ aud: 'tilt' })],
  ['a token for an empty audience', withToken({ aud: '' })],
  ['a token for several other audiences', withToken({ aud: ['yard', 'tiltyard2'] })],
  ['a token that lives too long', withToken({ iat: secondsFromNow(0), exp: secondsFromNow(MAX_LIFETIME + 3600) })],
  ['a token that lives too long, and hides when it began', withToken({ exp: secondsFromNow(MAX_LIFETIME + 3600) })],
  ['a token that says it began in the future', withToken({ iat: 4e9, exp: 4e9 + 60 })],
  ['a token of the empty identity', withToken({ sub: '' })],
  ['a token of an identity with a line break', withToken({ sub: 'team\n' })],
  ['a token of an identity that is no text', withToken({ sub: 5 })],
];

/** Everything that opens everything. Made for each file: tokens get old. */
export const accepted = (): [what: string, credentials: Credentials][] => [
  ['a key', withKey(KEYS.team)],
  ['a key for OXP', { 'oxp-api-key': KEYS.team }],
  ['a right key beside a wrong one', { 'x-api-key': 'wrong-key-4711', 'oxp-api-key': KEYS.team }],
  ['a right key beside a broken token', { ...withKey(KEYS.team), authorization: 'Bearer broken-token-4711' }],
  ['a right token beside a wrong key', { ...withKey('wrong-key-4711'), ...withToken() }],
  ['a token', withToken()],
  ['a token in a small bearer', { authorization: `bearer ${tokenOf(withToken())}` }],
  ['a token for this audience', withToken({ aud: 'tiltyard' })],
  ['a token for this audience among others', withToken({ aud: ['elsewhere', 'other'] })],
  ['a token that lives as long as it may', withToken({ iat: secondsFromNow(0), exp: secondsFromNow(MAX_LIFETIME) })],
  ['a token without a name', withToken({ sub: undefined })],
  ['a token of an orchestrator', withToken({ scope: 'orchestrator' })],
];
