import { connect, createServer, type Socket } from 'node:net';

/** What has passed over one connection so far. */
export interface Passed {
  /** Connections are counted from 0. */
  readonly connection: number;
  readonly request: Buffer;
  readonly response: Buffer;
}

/** When to cut; both are given the number of the connection, counted from 0. */
export interface CuttingOptions {
  /** After how many bytes of response a connection is cut. Undefined: never. */
  readonly cutAfter?: ((connection: number) => number | undefined) | undefined;
  /** The same for cuts that depend on what is said: asked with every packet, undefined lets it pass. */
  readonly cutWhen?: ((passed: Passed) => number | undefined) | undefined;
}

/** A proxy between a client and a server, as unreliable as the test wants it. */
export interface CuttingProxy {
  readonly port: number;
  /** How many connections there have been. */
  readonly connections: number;
  /** How many of them were cut. */
  readonly cuts: number;
  /** Breaks all connections and stops listening. */
  close(): Promise<void>;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startCuttingProxy(
  targetPort: number,
  { cutAfter, cutWhen }: CuttingOptions,
): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let cuts = 0;
  const server = createServer((client) => {
    const connection = connections++;
    const target = connect(targetPort, '127.0.0.1');
    const request: Buffer[] = [];
    const response: Buffer[] = [];
    let passed = 0;
    for (const socket of [client, target]) sockets.add(socket.on('close', () => sockets.delete(socket)));
    // What fails on one side fails on the other; the test sees it through its client.
    client.on('error', () => {}).on('close', () => target.destroy());
    target.on('error', () => client.destroy()).on('close', () => client.end());
    const cut = (last: Buffer) => {
      cuts += 1;
      target.pause();
      client.write(last, () => client.destroy());
    };
    client.on('data', (packet) => {
      request.push(packet);
      target.write(packet);
    });
    target.on('data', (packet) => {
      response.push(packet);
      const soFar = { connection, request: Buffer.concat(request), response: Buffer.concat(response) };
      const limit = cutAfter?.(connection) ?? cutWhen?.(soFar);
      if (limit !== undefined && limit <= passed + packet.length)
        return cut(packet.subarray(0, Math.max(0, limit - passed)));
      passed += packet.length;
      client.write(packet);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    get connections() {
      return connections;
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
