import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A connection that a process and its children hold for as long as one of them lives. */
export interface Lifeline extends AsyncDisposable {
  /** The beginning of a bash command that takes hold of it. */
  readonly command: string;
  /** Resolves when a process has taken hold. */
  held(): Promise<void>;
  /** Resolves when nobody holds it any more. */
  released(): Promise<void>;
}

/** Waits to be held by one bash command. Unlike a look at process ids, it needs no polling, and no zombie holds it. */
export async function lifeline(): Promise<Lifeline> {
  const server = createServer();
  let socket: Socket | undefined;
  const connected = once(server, 'connection').then(([connection]) => {
    socket = connection as Socket;
    return socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    command: `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}`,
    held: async () => void (await connected),
    async released() {
      const connection = await connected;
      if (!connection.closed) await once(connection, 'close');
    },
    async [Symbol.asyncDispose]() {
      server.close();
      // Ends a process that reads from it.
      socket?.destroy();
    },
  };
}
