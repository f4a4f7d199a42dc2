import { connect, createServer, type Socket } from 'node:net';

/** A plain load balancer: each connection goes to the next server, and to the one after it if nobody listens there. */
export interface RoundRobin extends AsyncDisposable {
  readonly url: string;
  /** Where connections go from now on. */
  ports: readonly number[];
}

/** Starts one on a free port of the loopback interface. */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const sockets = new Set<Socket>();
  let next = 0;
  const join = (client: Socket, left: number) => {
    const port = balancer.ports[next % balancer.ports.length] as number;
    next += 1;
    const target = connect(port, '127.0.0.1');
    target.once('error', () => {
      if (left > 1 && !client.destroyed) join(client, left - 1);
      else client.destroy();
    });
    target.once('connect', () => {
      sockets.add(target.removeAllListeners('error').on('error', () => {}));
      client.pipe(target).pipe(client);
      client.on('close', () => target.destroy());
      target.on('close', () => {
        sockets.delete(target);
        client.destroy();
      });
    });
  };
  const server = createServer((client) => {
    sockets.add(client.on('error', () => {}).on('close', () => sockets.delete(client)));
    join(client, balancer.ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const balancer: RoundRobin = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    ports,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}
