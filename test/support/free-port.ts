import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections, and to servers that ask for any: nobody gets one of these by chance
// between the moment it is chosen and the moment it is used.
const [LOWEST, HIGHEST] = [20_000, 32_000];

const given = new Set<number>();

/** A port of this machine that nobody uses at the moment: for a server that is started several times on the same one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return false;
  server.close();
  await once(server, 'close');
  return true;
}
