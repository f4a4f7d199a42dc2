import { createServer, type Server, type ServerOptions } from 'tiltyard/server';
import { type Answer, client, type RequestOptions } from '../support/http.ts';
import { shareInFile, startForTest } from '../support/shared.ts';
import { expectDescribed } from './described.ts';
import { type ToolFixture, toolFixture } from './toolkits.ts';

/** A server of toolkits; every answer it gives is checked against the description of OXP. */
export interface ToolServer extends ToolFixture {
  readonly server: Server;
  readonly url: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** Calls a tool; `request` is what stands under that name in the body. */
  call(request: unknown, options?: RequestOptions): Promise<Answer>;
}

/** Starts a server of the fixture's toolkits on a free port; it is closed when the test ends. */
export function startToolServer(options: ServerOptions = {}): Promise<ToolServer> {
  return startForTest(() => launch(options));
}

/** One server for all tests of a file that need no other; the returned function gives it while they run. */
export function shareToolServer(options: ServerOptions = {}): () => ToolServer {
  return shareInFile(() => launch(options));
}

async function launch(options: ServerOptions): Promise<ToolServer> {
  const fixture = toolFixture();
  const limits = { drainMs: 0, ...options.limits };
  const server = await createServer({ toolkits: fixture.toolkits, logger: false, ...options, limits });
  const url = await server.listen();
  return { ...fixture, server, url, ...toolClient(url) };
}

/** The requests of a test against any server of toolkits. */
export function toolClient(url: string): Pick<ToolServer, 'request' | 'get' | 'post' | 'call'> {
  const plain = client(url);
  const check = async (method: string, path: string, answering: Promise<Answer>) => {
    const answer = await answering;
    // A server of both protocols may send a call on to the other one.
    if (answer.status !== 308) expectDescribed(method, path, answer);
    return answer;
  };
  const post: ToolServer['post'] = (path, body, options) => check('POST', path, plain.post(path, body, options));
  return {
    request: (method, path, options) => check(method, path, plain.request(method, path, options)),
    get: (path, options) => check('GET', path, plain.get(path, options)),
    post,
    call: (request, options) => post('/tools/call', { request }, options),
  };
}
