import type { Answer, RequestOptions, TestServer } from '../support/http.ts';

/** One operation of a server's OpenAPI document, with the request that its examples make. */
export interface Operation {
  /** Such as `POST /math/call`. */
  readonly name: string;
  readonly method: string;
  /** With the parameters as the document has them, such as `/{env}/call`. */
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  readonly needsSession: boolean;
  readonly isOpen: boolean;
  /** Whose form its errors have. */
  readonly face: 'ors' | 'oxp';
  readonly responses: Readonly<Record<string, any>>;
}

type Requests = Pick<TestServer, 'post' | 'request'>;

/** The operations of a document. */
export function operationsOf({ paths }: any): Operation[] {
  return Object.entries<any>(paths).flatMap(([route, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => toOperation(method.toUpperCase(), route, operation)),
  );
}

/** Sends an operation the request of its examples. */
export function send(server: Requests, { method, path, body }: Operation, options?: RequestOptions): Promise<Answer> {
  return method === 'POST' ? server.post(path, body, options) : server.request(method, path, options);
}

/** A session id with which the operation can succeed: a session of its own, or a free id for the one that makes it. */
export async function sidFor(
  server: Requests,
  { path, needsSession }: Operation,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  if (!needsSession) return undefined;
  const sid = crypto.randomUUID();
  if (path === '/create') return sid;
  const answer = await server.post('/create', { split: 'train', index: 0 }, { sid, headers });
  if (answer.status !== 200) throw new Error(`/create answered ${answer.status}: ${answer.text}`);
  return sid;
}

function toOperation(
  method: string,
  route: string,
  { parameters = [], requestBody, security, responses }: any,
): Operation {
  const path = route.replace(/\{(\w+)\}/g, (_, name) => parameters.find((each: any) => each.name === name).example);
  return {
    name: `${method} ${path}`,
    method,
    route,
    path,
    body: requestBody?.content['application/json'].example,
    needsSession: parameters.some(({ name }: any) => name === 'X-Session-ID'),
    isOpen: security?.length === 0,
    face: JSON.stringify(responses['4XX']).includes('ServerErrorResponse') ? 'oxp' : 'ors',
    responses,
  };
}
