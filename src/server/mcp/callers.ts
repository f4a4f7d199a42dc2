import type { IncomingHttpHeaders } from 'node:http';
import { TiltyardError } from '../../core/index.ts';
import { bearerOf } from '../../protocol/index.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { ANYBODY, hasScope, type Identity } from '../auth/identity.ts';

/** Who a request comes from. API keys are also taken as bearer tokens, because many MCP clients can send nothing else. */
export async function callerOf(
  authenticator: Authenticator | undefined,
  headers: IncomingHttpHeaders,
): Promise<Identity> {
  if (authenticator === undefined) return ANYBODY;
  const token = bearerOf(headers.authorization);
  const asKey = token === undefined ? headers : { 'x-api-key': token, ...headers };
  return authenticator.recognize(asKey) ?? authenticator.verify(headers);
}

/** Whether a request carries any credentials. */
export function hasCredentials(headers: IncomingHttpHeaders): boolean {
  return CREDENTIALS.some((name) => headers[name] !== undefined);
}

const CREDENTIALS = ['authorization', 'x-api-key', 'oxp-api-key'] as const;

/** Refuses a caller that has none of these scopes. */
export function assertScope(identity: Identity, scopes: readonly string[]): void {
  if (scopes.some((scope) => hasScope(identity, scope))) return;
  const needed = scopes.map((scope) => `'${scope}'`).join(' or ');
  throw new TiltyardError('forbidden', `you may not use this address: it needs the scope ${needed}`);
}
