import { hash } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { DefinitionError, oneOf, TiltyardError } from '../../core/index.ts';
import { anything, assertOptions, between, names, type OptionRules } from '../options.ts';
import { type Identity, isName } from './identity.ts';

/** Short-lived tokens that callers sign with a shared secret. */
export interface JwtOptions {
  /** At least 32 bytes. */
  readonly secret: string | Uint8Array;
  /** The audiences that are accepted. */
  readonly audience?: readonly string[];
  /** Refuses tokens that live longer than this. */
  readonly maxLifetimeSeconds?: number;
  /** How far the clocks may differ. Default: 5 s. */
  readonly clockSkewSeconds?: number;
  /**
   * What becomes of a token without `scope`, or without `aud` where there are audiences: 'allow' lets it do everything, and
   * takes it for one that is meant for this server. Default: 'refuse'.
   */
  readonly missingClaims?: 'refuse' | 'allow';
}

const JWT_OPTIONS: OptionRules<JwtOptions> = {
  // Checked below, without a word of it.
  secret: anything,
  audience: names,
  maxLifetimeSeconds: between(1, Number.POSITIVE_INFINITY),
  clockSkewSeconds: between(0, Number.POSITIVE_INFINITY),
  missingClaims: oneOf(['refuse', 'allow']),
};

const MIN_SECRET_BYTES = 32;

// The identity of tokens that name none.
const ANONYMOUS = 'jwt';

// Only tokens with a good signature are remembered, so strangers cannot push them out.
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly identity: Identity;
  readonly untilMs: number;
}

/**
 * Tells whose token a request carries. A caller sends the same one with each request: it is verified once, and known by
 * its digest until it expires.
 */
export class Tokens {
  readonly #secret: Uint8Array;
  readonly #audience: ReadonlySet<string> | undefined;
  readonly #maxLifetimeSeconds: number;
  readonly #skewSeconds: number;
  readonly #needsClaims: boolean;
  readonly #remembered: LRUCache<string, Remembered>;

  constructor(options: JwtOptions, maxRemembered: number = MAX_REMEMBERED) {
    assertOptions(options, JWT_OPTIONS, 'auth.jwt');
    const { secret, audience, maxLifetimeSeconds, clockSkewSeconds = 5, missingClaims = 'refuse' } = options;
    this.#secret = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
    const { length } = this.#secret;
    if (length < MIN_SECRET_BYTES)
      throw new DefinitionError(`the JWT secret must have at least ${MIN_SECRET_BYTES} bytes, and has ${length}`);
    this.#audience = audience === undefined ? undefined : new Set(audience);
    this.#maxLifetimeSeconds = maxLifetimeSeconds ?? Number.POSITIVE_INFINITY;
    this.#skewSeconds = clockSkewSeconds;
    this.#needsClaims = missingClaims === 'refuse';
    this.#remembered = new LRUCache({ maxSize: maxRemembered, sizeCalculation: () => 1 });
  }

  /** Whose token this is, if it was verified before and is still good. */
  recall(token: string): Identity | undefined {
    const digest = digestOf(token);
    const remembered = this.#remembered.peek(digest);
    if (remembered === undefined) return undefined;
    if (Date.now() < remembered.untilMs) return remembered.identity;
    this.#remembered.delete(digest);
    return undefined;
  }

  /** Whose token this is; rejects if it is not good. */
  async verify(token: string): Promise<Identity> {
    // The algorithm is ours to say, not the token's.
    const { payload } = await jwtVerify(token, this.#secret, {
      algorithms: ['HS256'],
      clockTolerance: this.#skewSeconds,
      requiredClaims: ['exp'],
    });
    const { sub = ANONYMOUS, exp = 0 } = payload;
    if (this.#needsClaims) assertClaims(payload, this.#audience);
    const livesTooLong = lifetimeOf(payload) > this.#maxLifetimeSeconds + this.#skewSeconds;
    if (!this.#isForUs(payload) || !isName(sub) || livesTooLong) throw new Error('a claim of the token is not allowed');
    const identity = { id: sub, scopes: toScopes(payload.scope) };
    this.#remembered.set(digestOf(token), { identity, untilMs: (exp + this.#skewSeconds) * 1000 });
    return identity;
  }

  #isForUs({ aud }: JWTPayload): boolean {
    const accepted = this.#audience;
    const audiences = aud === undefined ? [] : [aud].flat();
    return accepted === undefined || audiences.length === 0 || audiences.some((each) => accepted.has(each));
  }
}

// Reported, unlike other reasons: the signer may know what is missing, and a token without a scope must not mean "everything".
function assertClaims({ scope, aud }: JWTPayload, audience: ReadonlySet<string> | undefined): void {
  const missing = [
    ...(scope === undefined ? ['\'scope\' (such as "agent", or "orchestrator" for everything with environments)'] : []),
    ...(aud === undefined && audience !== undefined ? ["'aud'"] : []),
  ];
  if (missing.length > 0)
    throw new TiltyardError('unauthorized', `the token must have the claim ${missing.join(' and the claim ')}`);
}

// A token that says it will be made in the future lives from now on: it is good already.
function lifetimeOf({ exp = 0, iat = Number.POSITIVE_INFINITY }: JWTPayload): number {
  return exp - Math.min(iat, Date.now() / 1000);
}

function toScopes(scope: unknown): ReadonlySet<string> | undefined {
  if (scope === undefined) return undefined;
  const scopes = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : [];
  return new Set(scopes.filter((each) => typeof each === 'string' && each !== ''));
}

// Tokens themselves are not kept: a dump of the memory would hold everybody's.
function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
