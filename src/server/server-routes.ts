import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../protocol/index.ts';
import type { EventFeed } from './events/event-feed.ts';
import { type HomeContents, registerHome } from './http/home.ts';
import type { Metrics } from './observe/metrics.ts';
import { registerMetrics } from './observe/metrics-route.ts';
import { registerOpenApi } from './openapi/document.ts';
import type { RouteDocs } from './openapi/operation.ts';

/** What a server tells of itself; undefined where it shall not. */
export interface ServerRoutes {
  readonly has: HomeContents;
  readonly describe: () => JsonObject;
  readonly metrics: Metrics | undefined;
  readonly feed: EventFeed | undefined;
}

/** Registers what a server has once, whatever protocols it speaks: /, /openapi.json, /metrics and /events. */
export async function registerServerRoutes(
  scope: FastifyInstance,
  docs: Readonly<Record<'home' | 'openapi' | 'metrics' | 'events', RouteDocs>>,
  { has, describe, metrics, feed }: ServerRoutes,
): Promise<void> {
  registerHome(scope, docs.home, has);
  registerOpenApi(scope, docs.openapi, describe);
  if (metrics !== undefined) registerMetrics(scope, docs.metrics, metrics);
  if (feed === undefined) return;
  // Loaded only where somebody may listen.
  const { registerEvents } = await import('./events/route.ts');
  registerEvents(scope, docs.events, feed);
}
