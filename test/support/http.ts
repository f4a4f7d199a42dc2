import { createServer, type OrsOptions, type Server, type ServerOptions } from 'tiltyard/server';
import { type Counters, fixture } from './fixture.ts';
import { shareInFile, startForTest } from './shared.ts';
import { type ResultEnvelope, readEvents, type SseEvent, toResult } from './sse.ts';

/** A server under test, with what its environments counted. */
export interface TestServer {
  readonly server: Server;
  readonly url: string;
  readonly counters: Counters;
  /** A request on a real socket; JSON bodies are encoded. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** A new episode; `body` is that of /create. */
  create(body?: object, sid?: string): Promise<string>;
  /** Calls a tool and reads the whole stream. */
  call(sid: string, name: string, input?: object, more?: CallOptions): Promise<CallAnswer>;
}

export interface RequestOptions {
  sid?: string | undefined;
  headers?: Record<string, string>;
  /** A body that is sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export interface CallOptions {
  taskId?: string;
  env?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** An answer with its body read: as text, and as JSON where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: any;
}

export interface CallAnswer extends Answer {
  readonly events: SseEvent[];
  /** The `task_id` event's data. */
  readonly taskId: string | undefined;
  /** The reassembled envelope, or undefined if the stream had no `end`. */
  readonly result: ResultEnvelope | undefined;
  /** The `error` event's data. */
  readonly error: string | undefined;
}

/** Options of the server and of its ORS face. */
export type TestOptions = Partial<ServerOptions & OrsOptions>;

/** Starts a server with the fixture's environments on a free port; it is closed when the test ends. */
export function startServer(options: TestOptions = {}): Promise<TestServer> {
  return startForTest(() => launch(options));
}

/** One server for all tests of a file that need no other; the returned function gives it while they run. */
export function shareServer(options: TestOptions = {}): () => TestServer {
  return shareInFile(() => launch(options));
}

async function launch(options: TestOptions): Promise<TestServer> {
  const { counters, environments } = fixture();
  // Tests leave calls running, and do not wait for them; those of draining say how long to wait.
  const limits = { drainMs: 0, ...options.limits };
  const server = await createServer({ environments, logger: false, ...options, limits });
  const url = await server.listen();
  return { server, url, counters, ...client(url) };
}

/** The requests of a test against any server. */
export function client(
  url: string,
  always: Readonly<Record<string, string>> = {},
): Omit<TestServer, 'server' | 'url' | 'counters'> {
  const request: TestServer['request'] = async (method, path, { sid, headers = {}, raw, signal } = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...always, ...(sid === undefined ? {} : { 'x-session-id': sid }), ...headers },
      ...(raw === undefined ? {} : { body: raw }),
      ...(signal === undefined ? {} : { signal }),
    });
    return toAnswer(response);
  };
  const post: TestServer['post'] = (path, body, options = {}) =>
    request('POST', path, {
      ...options,
      ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    });
  return {
    request,
    get: (path, options) => request('GET', path, options),
    post,
    async create(body = { split: 'train', index: 0 }, sid = crypto.randomUUID()) {
      const answer = await post('/create', body, { sid });
      if (answer.status !== 200) throw new Error(`/create answered ${answer.status}: ${answer.text}`);
      return sid;
    },
    async call(sid, name, input = {}, { taskId, env = 'math', headers = {}, signal } = {}) {
      const body = { name, input, ...(taskId === undefined ? {} : { task_id: taskId }) };
      const answer = await post(`/${env}/call`, body, { sid, headers, ...(signal === undefined ? {} : { signal }) });
      const events = readEvents(answer.text);
      return {
        ...answer,
        events,
        taskId: events.find(({ event }) => event === 'task_id')?.data,
        result: toResult(events),
        error: events.find(({ event }) => event === 'error')?.data,
      };
    },
  };
}

/** A response with its body read. */
export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  // The answer to a HEAD has the type and no body.
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
