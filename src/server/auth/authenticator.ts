import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type JWTPayload, jwtVerify } from 'jose';
import { type Awaitable, DefinitionError, TiltyardError } from '../core/index.ts';

/** What a caller may do with environments: all, or only act in a session that it was given. Tools have scopes of their own. */
export type OrsScope = 'orchestrator' | 'agent';

/** An API key, who it stands for, and what it may do. */
export interface ApiKey {
  readonly key: string;
  /** Sessions belong to an identity; keys of the same identity share them. Default: one identity for each key. */
  readonly identity?: string;
  /** Left out: everything. */
  readonly scopes?: readonly string[];
}

/** Short-lived tokens that callers sign with a shared secret. */
export interface JwtOptions {
  /** At least 32 bytes. */
  readonly secret: string | Uint8Array;
  /** The audiences that are accepted; a token without one passes. */
  readonly audience?: readonly string[];
  /** Refuses tokens that live longer than this. */
  readonly maxLifetimeSeconds?: number;
  /** How far the clocks may differ. Default: 5 s. */
  readonly clockSkewSeconds?: number;
}

/** Who may use the server: any valid credential of any kind that is given here. */
export interface AuthOptions {
  /** Accepted in X-API-Key and OXP-API-Key. */
  readonly apiKeys?: readonly (string | ApiKey)[];
  /** Accepted as `Authorization: Bearer`. The token's `sub` is the identity, its `scope` the scopes. */
  readonly jwt?: JwtOptions;
}

/** Who a request comes from. */
export interface Identity {
  readonly id: string;
  /** Undefined: everything. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** Everybody, when there is no auth. */
export const ANYBODY: Identity = { id: '', scopes: undefined };

/** A caller of whom nothing is known, who may do nothing. */
export const NOBODY: Identity = { id: '', scopes: new Set() };

/** Tells who a request comes from, or throws. */
export type Authenticate = (headers: IncomingHttpHeaders) => Awaitable<Identity>;

const MIN_SECRET_BYTES = 32;

// The identity of tokens that name none.
const ANONYMOUS = 'jwt';

// What a header can carry: visible ASCII, and spaces only inside.
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The check that every request but /health must pass; undefined where there is none. */
export function authenticator(auth: AuthOptions | undefined): Authenticate | undefined {
  if (auth === undefined) return undefined;
  const { apiKeys = [], jwt } = auth;
  if (apiKeys.length === 0 && jwt === undefined) throw new DefinitionError('auth needs at least one API key, or jwt');
  const byKey = keyFinder(apiKeys);
  const byToken = jwt === undefined ? undefined : tokenVerifier(jwt);
  return (headers) => {
    const identity = byKey(headers);
    if (identity !== undefined) return identity;
    const token = bearerToken(headers);
    if (token === undefined || byToken === undefined) throw unauthorized();
    return byToken(token);
  };
}

/** Whether a caller has a scope; callers without a list have all. */
export function hasScope({ scopes }: Identity, scope: string): boolean {
  return scopes === undefined || scopes.has(scope);
}

type FindByKey = (headers: IncomingHttpHeaders) => Identity | undefined;

function keyFinder(apiKeys: readonly (string | ApiKey)[]): FindByKey {
  const known = apiKeys.map(toKnownKey);
  assertDifferent(known);
  // Every key is compared, so that the time tells nothing about which one was nearly right.
  const find = (given: Buffer) => known.filter(({ hash }) => timingSafeEqual(given, hash))[0]?.identity;
  return (headers) => {
    const given = [headers['x-api-key'], headers['oxp-api-key']].filter((key) => typeof key === 'string');
    return given.map((key) => find(digest(key))).find((identity) => identity !== undefined);
  };
}

interface KnownKey {
  readonly hash: Buffer;
  readonly identity: Identity;
}

// Messages tell a key by its place: they may be printed.
function toKnownKey(entry: string | ApiKey, index: number): KnownKey {
  const { key, identity, scopes } = typeof entry === 'string' ? { key: entry } : entry;
  if (typeof key !== 'string' || !SENDABLE.test(key)) {
    throw new DefinitionError(
      `API key ${index + 1} must be of visible ASCII characters, without spaces around it: no header carries others`,
    );
  }
  const hash = digest(key);
  // A name for logs and sessions that does not give the key away.
  const id = identity ?? `key-${hash.toString('hex').slice(0, 16)}`;
  if (!isIdentity(id)) {
    throw new DefinitionError(`the identity of API key ${index + 1} must be text without control characters`);
  }
  return { hash, identity: { id, scopes: scopes === undefined ? undefined : new Set(scopes) } };
}

// Which of two meanings a key had would depend on their order.
function assertDifferent(known: readonly KnownKey[]): void {
  for (const [index, { hash }] of known.entries()) {
    const first = known.findIndex((other) => other.hash.equals(hash));
    if (first < index) throw new DefinitionError(`API keys ${first + 1} and ${index + 1} are the same. Leave one out`);
  }
}

function tokenVerifier(options: JwtOptions): (token: string) => Promise<Identity> {
  const { audience, maxLifetimeSeconds = Number.POSITIVE_INFINITY, clockSkewSeconds = 5 } = options;
  const secret = typeof options.secret === 'string' ? new TextEncoder().encode(options.secret) : options.secret;
  if (secret.length < MIN_SECRET_BYTES) {
    throw new DefinitionError(`the JWT secret must have at least ${MIN_SECRET_BYTES} bytes, and has ${secret.length}`);
  }
  const accepted = audience === undefined ? undefined : new Set(audience);
  const isForUs = ({ aud }: JWTPayload) => {
    const audiences = aud === undefined ? [] : [aud].flat();
    return accepted === undefined || audiences.length === 0 || audiences.some((each) => accepted.has(each));
  };
  // A token that says it will be made in the future lives from now on: it is good already.
  const lifetimeOf = ({ exp = 0, iat = Number.POSITIVE_INFINITY }: JWTPayload) =>
    exp - Math.min(iat, Date.now() / 1000);
  return async (token) => {
    try {
      // The algorithm is ours to say, not the token's.
      const { payload } = await jwtVerify(token, secret, {
        algorithms: ['HS256'],
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['exp'],
      });
      const { sub = ANONYMOUS } = payload;
      const valid = isForUs(payload) && isIdentity(sub) && lifetimeOf(payload) <= maxLifetimeSeconds + clockSkewSeconds;
      if (valid) return { id: sub, scopes: toScopes(payload.scope) };
    } catch (thrown) {
      throw unauthorized(thrown);
    }
    throw unauthorized();
  };
}

// No line breaks: one of them joins an identity and an id to the key of a session or call.
function isIdentity(id: unknown): id is string {
  return typeof id === 'string' && /^[^\x00-\x1f\x7f]+$/.test(id);
}

function toScopes(scope: unknown): ReadonlySet<string> | undefined {
  if (scope === undefined) return undefined;
  const scopes = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : [];
  return new Set(scopes.filter((each) => typeof each === 'string' && each !== ''));
}

function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

// One message for every reason: which part of a credential was wrong is nobody's business.
function unauthorized(cause?: unknown): TiltyardError {
  return new TiltyardError(
    'unauthorized',
    'valid credentials are required: an API key in X-API-Key, or a bearer token',
    { cause },
  );
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
