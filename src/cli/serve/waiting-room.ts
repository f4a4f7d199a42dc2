import { createServer, type Socket } from 'node:net';
import type { Server } from '../../server/index.ts';

// More than that would not be let in at once by the server either.
const MAX_WAITING = 4096;

/** Holds connections that come while a server starts. */
export interface WaitingRoom {
  /** Frees the address, so that the server can take it. */
  close(): Promise<void>;
  /** Gives the server the connections that came before it listened. */
  admit(server: Server): void;
}

/**
 * Takes connections before there is a server. A server that keeps episodes is awaited by their clients when it starts again, and some
 * of them give up after 15 s of refused connections: less than it may take to load modules and read a large journal. Undefined if the
 * address cannot be had; the server says why when it listens.
 */
export function openWaitingRoom(host: string, port: number): Promise<WaitingRoom | undefined> {
  const waiting = new Set<Socket>();
  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    waiting.add(socket.unref());
    // Clients that leave are noticed when the server reads from them.
    socket.on('error', () => socket.destroy());
  });
  listener.maxConnections = MAX_WAITING;
  // A command that cannot start ends, even if clients wait for it.
  listener.unref();
  const room: WaitingRoom = {
    async close() {
      // Loading modules blocks the process: what the system has accepted meanwhile is taken first, since closing would reset it.
      for (let known = -1; known < waiting.size; ) {
        known = waiting.size;
        await oneTurn();
      }
      // It would call back when the last of its connections has ended.
      listener.close();
      await new Promise(setImmediate);
    },
    admit({ app }) {
      for (const socket of waiting) {
        app.server.emit('connection', socket.ref());
        socket.resume();
      }
      waiting.clear();
    },
  };
  return new Promise((resolve) => {
    listener.once('error', () => resolve(undefined));
    listener.listen(port, host, () => resolve(room));
  });
}

/** Resolves when all that the system had to tell by now was told. */
async function oneTurn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
