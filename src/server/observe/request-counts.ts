import type { Registry } from 'prom-client';
import { type Published, publishCounter } from './publish.ts';

/** The route of what matches none, or is no HTTP: paths that clients make up must not become labels. */
const NO_ROUTE = '(none)';

/** How many requests of a route have ended, by status. */
export type RouteCounts = Map<number, number>;

/** Counts requests by the pattern of their route and by status: plain numbers, as in numbers.ts, of which there are only so many. */
export class RequestCounts implements Published {
  readonly #routes = new Map<string, RouteCounts>();

  /** The counts of a route; keep them where there are many requests of it. */
  of(route: string = NO_ROUTE): RouteCounts {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = new Map();
      this.#routes.set(route, counts);
    }
    return counts;
  }

  publish(registry: Registry): void {
    const routes = this.#routes;
    publishCounter(registry, {
      name: 'tiltyard_http_requests_total',
      help: 'Requests that have ended, by the pattern of their route and by status; 499 if the client left before.',
      labelNames: ['route', 'status'],
      *read() {
        for (const [route, counts] of routes)
          for (const [status, count] of counts) yield [{ route, status: String(status) }, count];
      },
    });
  }
}
