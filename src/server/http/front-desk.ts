import type { FastifyInstance } from 'fastify';
import type { Limits } from '../../core/index.ts';
import type { EventLog } from '../observe/event-log.ts';
import type { RequestCounts } from '../observe/request-counts.ts';
import { FastPath } from './fast-path.ts';
import type { HttpServers } from './http-servers.ts';
import { newInstance } from './instance.ts';
import { requestTracker } from './request-tracker.ts';
import { type WatchOptions, watchRequests } from './watch-requests.ts';
import { listensLocally, WebGuard, type WebOptions } from './web-guard.ts';

/** What all requests of a server pass, and who hears of them. */
export interface FrontDeskOptions {
  readonly options: WebOptions & { readonly returnErrors?: WatchOptions['returnErrors'] };
  /** Whether the server has environments, wherever their code runs. */
  readonly hasEnvironments: boolean;
  readonly servers: HttpServers;
  readonly limits: Pick<Limits, 'bodyBytes'>;
  readonly events: EventLog;
  readonly counts: RequestCounts;
  /** The id of the instance, where it outlives the process. */
  readonly instanceId: string | undefined;
}

/** Takes the requests of a server from now on: follows each to its end, and refuses what no route should see. */
export function openFrontDesk(
  app: FastifyInstance,
  { options, hasEnvironments, servers, limits, events, counts, instanceId }: FrontDeskOptions,
): { readonly guard: WebGuard; readonly fastPath: FastPath } {
  const requests = requestTracker({ events, counts });
  const guard = new WebGuard(options, () => listensLocally(app));
  const instance = newInstance(instanceId);
  const fastPath = new FastPath({ bodyBytes: limits.bodyBytes, requests, guard, instance });
  app.addHook('preClose', async () => fastPath.close());
  servers.open({ requests, fastPath, instance });
  const { returnErrors } = options;
  watchRequests(app, { returnErrors, hasEnvironments, requests, counts, guard, instance });
  return { guard, fastPath };
}
