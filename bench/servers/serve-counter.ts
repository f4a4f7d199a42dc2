import { createServer, type ServerOptions } from 'tiltyard/server';
import { makeObjectsYoung } from '../../src/cli/shared/serving/collector.ts';
import { API_KEY } from './api-key.ts';
import { counter, counterKit } from './counter.ts';

/**
 * Serves the counter with everything on: API keys, validation, kept results, metrics, a line for each request and each call. With
 * `workers`, the counter itself is in so many other processes; with `journal`, `cluster` or `record`, its episodes are written down;
 * with `events`, everybody can watch them.
 */
export async function serveCounter(
  workers = 0,
  kept: Pick<ServerOptions, 'journal' | 'cluster' | 'record' | 'events'> = {},
): Promise<URL> {
  // As the command does.
  makeObjectsYoung();
  // A cluster shares no toolkits.
  const here = { environments: [counter], toolkits: kept.cluster === undefined ? [counterKit] : [] };
  const elsewhere = { workers: { modules: [new URL('./counter.ts', import.meta.url)], count: workers } };
  const server = await createServer({
    ...(workers === 0 ? here : elsewhere),
    ...kept,
    auth: { apiKeys: [API_KEY] },
    logger: { level: 'info' },
    // The measurement holds so many at once, and a few more.
    limits: { maxSessions: 200_000, maxSessionsPerIdentity: 200_000 },
  });
  return new URL(await server.listen({ port: Number(process.env.PORT ?? 0) }));
}
