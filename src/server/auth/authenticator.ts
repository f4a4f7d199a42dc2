import type { IncomingHttpHeaders } from 'node:http';
import { DefinitionError, TiltyardError } from '../../core/index.ts';
import { bearerOf } from '../../protocol/index.ts';
import { anArray, anything, assertOptions, type OptionRules } from '../options.ts';
import { type ApiKey, keyFinder } from './api-keys.ts';
import type { Identity } from './identity.ts';
import { type JwtOptions, Tokens } from './tokens.ts';

/** Who may use the server: any valid credential of any kind that is given here. */
export interface AuthOptions {
  /** Accepted in X-API-Key and OXP-API-Key. */
  readonly apiKeys?: readonly (string | ApiKey)[];
  /** Accepted as `Authorization: Bearer`. The token's `sub` is the identity, its `scope` the scopes. */
  readonly jwt?: JwtOptions;
}

const AUTH_OPTIONS: OptionRules<AuthOptions> = { apiKeys: anArray, jwt: anything };

/** Tells who requests come from. */
export interface Authenticator {
  /** Who a request comes from, if that is known at once; undefined says nothing about its credentials. */
  recognize(headers: IncomingHttpHeaders): Identity | undefined;
  /** Who a request comes from that was not recognized; rejects if nobody may come with its credentials. */
  verify(headers: IncomingHttpHeaders): Promise<Identity>;
}

/** Refuses keys and secrets with which no server would start, before there is one. */
export function assertAuth(auth: AuthOptions): void {
  authenticator(auth);
}

/** The check that every request but /health must pass; undefined where there is none. */
export function authenticator(auth: AuthOptions | undefined): Authenticator | undefined {
  if (auth === undefined) return undefined;
  assertOptions(auth, AUTH_OPTIONS, 'auth');
  const { apiKeys = [], jwt } = auth;
  if (apiKeys.length === 0 && jwt === undefined) throw new DefinitionError('auth needs at least one API key, or jwt');
  const findByKey = keyFinder(apiKeys);
  const tokens = jwt === undefined ? undefined : new Tokens(jwt);
  const findByToken = ({ authorization }: IncomingHttpHeaders) => {
    const token = bearerOf(authorization);
    return token === undefined ? undefined : tokens?.recall(token);
  };
  return {
    recognize: tokens === undefined ? findByKey : (headers) => findByKey(headers) ?? findByToken(headers),
    async verify({ authorization }) {
      const token = bearerOf(authorization);
      if (token === undefined || tokens === undefined) throw unauthorized();
      try {
        return await tokens.verify(token);
      } catch (thrown) {
        throw thrown instanceof TiltyardError ? thrown : unauthorized(thrown);
      }
    },
  };
}

// One message for every reason: which part of a credential was wrong is nobody's business.
function unauthorized(cause?: unknown): TiltyardError {
  return new TiltyardError(
    'unauthorized',
    'valid credentials are required: an API key in X-API-Key or OXP-API-Key, or a bearer token',
    { cause },
  );
}
