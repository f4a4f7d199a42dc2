import type { FastifyInstance } from 'fastify';
import type { RequestCounts } from '../observe/request-counts.ts';
import { closeAfterUpgrade, refuseWithoutHost } from './client-errors.ts';
import { errorHandler, type ReturnErrors } from './errors.ts';
import { type Instance, refuseForAnother } from './instance.ts';
import { notFoundHandler } from './not-found.ts';
import type { RequestTracker } from './request-tracker.ts';
import type { WebGuard } from './web-guard.ts';

/** What every request of a server passes. */
export interface WatchOptions {
  readonly options: { readonly returnErrors?: ReturnErrors };
  readonly hasEnvironments: boolean;
  readonly requests: RequestTracker;
  readonly counts: RequestCounts;
  readonly guard: WebGuard;
  readonly instance: Instance;
}

/** Follows all requests that come to Fastify, and answers those that no route takes. */
export function watchRequests(
  app: FastifyInstance,
  { options, hasEnvironments, requests, counts, guard, instance }: WatchOptions,
): void {
  app.setErrorHandler(errorHandler(options.returnErrors ?? 'exception'));
  const answerNotFound = notFoundHandler({ hasEnvironments });
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', (request, reply, done) => {
    requests.begin(request.raw, reply.raw, counts.of(request.routeOptions.url), request);
    closeAfterUpgrade(request, reply);
    reply.headers(instance.headers);
    refuseWithoutHost(request);
    if (guard.take(request, reply)) return;
    refuseForAnother(request.headers, instance);
    // Before the body is read: it makes no difference here, whatever it holds.
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
}
