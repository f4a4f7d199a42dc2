import type { Answer, RequestOptions, TestServer } from './http.ts';

/** A route of the standard, with a request that it takes. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

const split = 'train';

/** The routes that need no session. */
export const OPEN_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/health' },
  { method: 'GET', path: '/version' },
  { method: 'GET', path: '/list_environments' },
  { method: 'GET', path: '/math/tools' },
  { method: 'GET', path: '/math/splits' },
  { method: 'POST', path: '/math/tasks', body: { split } },
  { method: 'POST', path: '/math/num_tasks', body: { split } },
  { method: 'POST', path: '/math/task', body: { split, index: 1 } },
  { method: 'POST', path: '/math/task_range', body: { split, start: 1, stop: 3 } },
  { method: 'POST', path: '/create_session' },
];

/** The routes that need a session, in the order of a session's life. */
export const SESSION_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/create', body: { split, index: 0 } },
  { method: 'POST', path: '/ping' },
  { method: 'GET', path: '/math/prompt' },
  { method: 'GET', path: '/math/task_tools' },
  { method: 'POST', path: '/math/call', body: { name: 'noargs', input: {} } },
  { method: 'POST', path: '/delete' },
  { method: 'POST', path: '/delete_session' },
];

/** All routes; sent one after the other with one session id, each is answered with 200. */
export const ROUTES: readonly Route[] = [...OPEN_ROUTES, ...SESSION_ROUTES];

/** The routes that read their body. */
export const BODY_ROUTES: readonly Route[] = ROUTES.filter(({ body }) => body !== undefined);

/** Routes with their names, for `test.each(named(ROUTES))('G4: %s needs a session', (_name, route) => ...)`. */
export function named(routes: readonly Route[]): [name: string, route: Route][] {
  return routes.map((route) => [`${route.method} ${route.path}`, route]);
}

/** Sends a route the request that it takes. */
export function sendTo(
  { get, post }: TestServer,
  { method, path, body }: Route,
  options?: RequestOptions,
): Promise<Answer> {
  return method === 'GET' ? get(path, options) : post(path, body, options);
}
