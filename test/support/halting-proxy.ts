import { connect, createServer, type Socket } from 'node:net';

/** A proxy that can behave like a network that is cut: nothing arrives, nothing is refused, and nobody is told. */
export interface HaltingProxy extends AsyncDisposable {
  readonly port: number;
  /** Nothing passes from now on, and new connections are not answered. */
  halt(): void;
  /** What was held back passes, and new connections are made. */
  resume(): void;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startHaltingProxy(targetPort: number): Promise<HaltingProxy> {
  const sockets = new Set<Socket>();
  let waiting: Socket[] = [];
  let isHalted = false;
  const join = (client: Socket) => {
    const target = connect(targetPort, '127.0.0.1');
    sockets.add(target);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('data', (packet) => to.write(packet));
      from
        .on('error', () => to.destroy())
        .on('close', () => {
          to.destroy();
          sockets.delete(from);
        });
    }
    if (isHalted) target.pause();
  };
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    if (isHalted) waiting.push(client);
    else join(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    halt() {
      isHalted = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isHalted = false;
      for (const socket of sockets) socket.resume();
      for (const client of waiting) if (!client.destroyed) join(client);
      waiting = [];
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
