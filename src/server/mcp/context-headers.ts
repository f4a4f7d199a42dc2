import type { IncomingHttpHeaders } from 'node:http';
import { SECRETS_HEADER, type WireCallContext } from '../../protocol/index.ts';
import { readNamedValues, readSecretsHeader } from '../http/headers.ts';

/** What a client is configured to hand to tools: never arguments, which a model writes. */
export function readContextHeaders(headers: IncomingHttpHeaders): WireCallContext | undefined {
  const userId = headers['x-user-id'];
  const { [SECRETS_HEADER]: given, 'x-authorizations': granted } = headers;
  if (given === undefined && granted === undefined && userId === undefined) return undefined;
  const secrets = Object.entries(readSecretsHeader(headers)).map(([id, value]) => ({ id, value }));
  const tokens = Object.entries(readNamedValues(headers, 'x-authorizations'));
  return {
    secrets,
    authorization: tokens.map(([id, token]) => ({ id, token })),
    ...(typeof userId === 'string' && userId !== '' ? { user_id: userId } : {}),
  };
}
