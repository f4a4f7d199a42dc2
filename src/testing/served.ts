import { createServer, type Server, type ServerOptions } from '../server/index.ts';

/** A server for tests, which listens. `await using` closes it with the block. */
export interface TestServer extends AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** Ends all sessions, and the server. */
  close(): Promise<void>;
  /**
   * The server itself.
   * @internal For the command.
   */
  readonly server: Server;
}

/** Where a server for tests listens. */
export interface TestServerOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: this machine only. */
  readonly host?: string;
  /**
   * More of what a server can be told.
   * @internal For the command.
   */
  readonly options?: Pick<ServerOptions, 'auth' | 'logger'>;
}

/** Starts a server. */
export async function startServer(
  made: ServerOptions,
  { port = 0, host = '127.0.0.1', options }: TestServerOptions,
): Promise<TestServer> {
  const server = await createServer({ logger: false, ...options, ...made });
  try {
    const url = await server.listen({ port, host });
    const close = () => server.close();
    return { url, close, server, [Symbol.asyncDispose]: close };
  } catch (thrown) {
    await server.close();
    throw thrown;
  }
}
