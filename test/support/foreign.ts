import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as a foreign server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, parsed where it is JSON. */
  readonly body: any;
}

/** One request and the means to answer it. */
export interface Exchange {
  readonly seen: Seen;
  readonly response: ServerResponse;
  /** How many requests there were on this route, this one included. */
  readonly count: number;
}

/** Answers the requests on one route. */
export type Route = (exchange: Exchange) => unknown;

/** A server that does what the test wrote, and remembers what it was asked. */
export interface ForeignServer {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  /** The requests on a path. */
  on(path: string): Seen[];
}

/** Starts a server with these routes, by `METHOD /path`, on top of those of the official Python server. */
export async function startForeign(routes: Readonly<Record<string, Route>> = {}): Promise<ForeignServer> {
  const all: Readonly<Record<string, Route>> = { ...PYTHON, ...routes };
  const seen: Seen[] = [];
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const each = { method, path, headers: request.headers, body: await readBody(request) };
    seen.push(each);
    const route = `${method} ${path}`;
    const count = (counts.get(route) ?? 0) + 1;
    counts.set(route, count);
    await (all[route] ?? notFound)({ seen: each, response, count });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, seen, on: (path) => seen.filter((each) => each.path === path) };
}

/** Answers with JSON. */
export function json(body: unknown, status = 200): Route {
  return ({ response }) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Answers with events and ends the stream. */
export function stream(...events: readonly SentEvent[]): Route {
  return ({ response }) => openStream(response).end(toPythonEvents(...events));
}

/** Begins a stream as the official server does. */
export function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

/** An event: its name and its data. */
export type SentEvent = readonly [event: string, data: string];

/** Events as sse-starlette writes them: with CRLF, and data as it is. */
export function toPythonEvents(...events: readonly SentEvent[]): string {
  return events.map(([event, data]) => `event: ${event}\r\ndata: ${data}\r\n\r\n`).join('');
}

/** The envelope of a call that gave this text. */
export function envelope(text: string, reward: number | null = null): string {
  const blocks = [{ text, detail: null, type: 'text' }];
  return JSON.stringify({ ok: true, output: { blocks, metadata: null, reward, finished: false } });
}

/** An id as official servers make them. */
export const SERVER_ID = '0123456789abcdef0123456789abcdef';

/** The session id that the official server of these tests gives out. */
export const SID = 'c0ffee00-0000-4000-8000-000000000000';

// What the official server answers, as far as these tests ask.
const PYTHON: Readonly<Record<string, Route>> = {
  'GET /list_environments': json(['math']),
  'POST /create_session': stream(['task_id', SID], ['end', '']),
  'POST /create': json({ sid: SID }),
  'POST /ping': json({ status: 'ok' }),
  'POST /delete': json({ sid: SID }),
  'POST /delete_session': json({ sid: SID }),
  'GET /math/prompt': json([{ text: 'Add.', detail: null, type: 'text' }]),
  'GET /math/task_tools': json({ tools: [{ name: 'add', description: 'Adds.', input_schema: null }] }),
  'POST /math/call': stream(['task_id', SERVER_ID], ['end', envelope('done')]),
};

const notFound: Route = json({ detail: 'Not Found' }, 404);

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const packet of request.setEncoding('utf8')) text += packet;
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text; // A probe may send what is no JSON.
  }
}
