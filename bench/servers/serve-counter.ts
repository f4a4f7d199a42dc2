import { createServer } from 'tiltyard/server';
import { API_KEY } from './api-key.ts';
import { counter, counterKit } from './counter.ts';

/** Serves the counter with everything on: API keys, validation, kept results, metrics, a line for each request and each call. */
export async function serveCounter(): Promise<URL> {
  const server = await createServer({
    environments: [counter],
    toolkits: [counterKit],
    auth: { apiKeys: [API_KEY] },
    logger: { level: 'info' },
    // The measurement holds so many at once, and a few more.
    limits: { maxSessions: 200_000, maxSessionsPerIdentity: 200_000 },
  });
  return new URL(await server.listen());
}
