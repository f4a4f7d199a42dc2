import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine that nobody uses at the moment: for a server that is started several times on the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
