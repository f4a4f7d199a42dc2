import type { Environment } from '../core/index.ts';
import { createServer, type ListenOptions, type Server, type ServerOptions } from '../server/index.ts';

/** How a server that records is made. */
export type RecordOptions = Pick<ServerOptions, 'auth' | 'logger' | 'limits'> & ListenOptions;

/** Serves environments and records every episode that is played there into a folder, for `cassette`. */
export async function record(
  environments: Environment | readonly Environment[],
  folder: string,
  { port = 0, host = '127.0.0.1', ...options }: RecordOptions = {},
): Promise<Server> {
  const server = await createServer({
    logger: false,
    ...options,
    environments: [environments].flat(),
    record: { folder },
  });
  await server.listen({ port, host });
  return server;
}
