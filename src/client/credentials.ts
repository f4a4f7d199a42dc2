import { keyFromEnvironment } from './api-key.ts';

/** What a client is let in with. */
export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const CARRIES_CREDENTIAL = /authorization|cookie|key|token|secret|password/i;

/** What a client sends to be let in, so that it can be kept out of files: the API key, and headers that carry a credential. */
export function credentialsIn({
  apiKey = keyFromEnvironment(),
  headers = {},
}: Credentials = {}): Record<string, string> {
  const carrying = Object.entries(headers).filter(([name]) => CARRIES_CREDENTIAL.test(name));
  const all = [...carrying, ['X-API-Key', apiKey ?? ''] as const];
  return Object.fromEntries(
    all.flatMap(([name, value]) => {
      // A server may repeat it with its scheme or without.
      const bare = value.trim().replace(/^(?:basic|bearer|token)\s+/i, '');
      // No secret of an episode has such a name, which would take its place.
      return bare === '' ? [] : [[`the header ${name}`, bare]];
    }),
  );
}
