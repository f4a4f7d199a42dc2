import type { FastifyInstance } from 'fastify';
import { type Limits, toError } from '../core/index.ts';
import type { EnvironmentManifest } from '../sessions/index.ts';
import type { HttpServers } from './http/http-servers.ts';
import type { WebGuard } from './http/web-guard.ts';
import type { ServedNames } from './served-names.ts';

/** Where to listen. */
export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: this machine only. */
  readonly host?: string;
}

/** A server of environments. Disposing of it ends all sessions, with their teardowns, and then the server. */
export interface Server extends AsyncDisposable {
  /** The Fastify instance, for its logger, its HTTP server and in-process requests; it takes no further routes or hooks. */
  readonly app: FastifyInstance;
  /** Where the server listens; empty before it does. */
  readonly url: string;
  /** The limits in force. */
  readonly limits: Limits;
  /**
   * What is served, by name.
   * @internal For the command.
   */
  readonly served: ServedNames;
  /**
   * The environments that are served.
   * @internal For the command.
   */
  readonly environments: readonly EnvironmentManifest[];
  /** Begins to take requests; resolves with the URL. */
  listen(options?: ListenOptions): Promise<string>;
  /** Takes no new sessions and calls, lets those that run end for a while (`limits.drainMs`), then ends the rest. */
  close(): Promise<void>;
}

// Of a larger number Node takes the lower 32 bits.
const MAX_BACKLOG = 2 ** 31 - 1;

/** What a server consists of. */
export interface ServerParts {
  readonly servers: HttpServers;
  readonly limits: Limits;
  readonly guard: WebGuard;
  readonly served: ServedNames;
  readonly environments: readonly EnvironmentManifest[];
}

/** The server as its users have it. */
export function toServer(app: FastifyInstance, { servers, limits, guard, served, environments }: ServerParts): Server {
  let url = '';
  return {
    app,
    limits,
    served,
    environments,
    get url() {
      return url;
    },
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      guard.answerTo(host);
      const backlog = Math.min(limits.backlog, MAX_BACKLOG);
      try {
        url = await app.listen({ port, host, backlog });
        if (host === 'localhost') await servers.listenBeside(app.server, backlog);
      } catch (thrown) {
        throw explain(toError(thrown), { port, host });
      }
      return url;
    },
    close: () => app.close(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function explain(error: Error & { code?: string }, { port, host }: Required<ListenOptions>): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} is taken. Choose another port, or stop what uses it`, { cause: error });
  if (error.code === 'EACCES')
    return new Error(`port ${port} needs root privileges. Choose a port above 1023`, { cause: error });
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    const choices = '127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses, or one of them';
    return new Error(`this machine has no address ${host}. Choose ${choices}`, { cause: error });
  }
  return error;
}
