import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DefinitionError, TiltyardError } from '../core/index.ts';

/** Who may use the server. */
export interface AuthOptions {
  /** Keys that are accepted in the X-API-Key header. */
  readonly apiKeys: readonly string[];
}

/** Lets a request pass, or throws. */
export type Authenticate = (request: FastifyRequest) => void;

/** The check that every request but /health must pass; none when auth is off. */
export function authenticator(auth: AuthOptions | undefined): Authenticate {
  if (auth === undefined) return () => {};
  if (auth.apiKeys.length === 0 || auth.apiKeys.some((key) => key === '')) {
    throw new DefinitionError('auth needs at least one API key, and none may be empty');
  }
  const known = auth.apiKeys.map(digest);
  return (request) => {
    const key = request.headers['x-api-key'];
    const given = digest(typeof key === 'string' ? key : '');
    // Every key is compared, so that the time tells nothing about which one was nearly right.
    const matches = known.filter((each) => timingSafeEqual(each, given)).length;
    if (matches === 0) throw new TiltyardError('unauthorized', 'a valid API key is required in the X-API-Key header');
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
