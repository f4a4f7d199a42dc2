import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestServer } from './http.ts';

/** A connection that reads nothing until it is told to. */
export function openDeaf({ url }: Pick<TestServer, 'url'>): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** How much memory a server holds for its clients. */
export async function heldBy({ get }: Pick<TestServer, 'get'>): Promise<number> {
  return Number(/^tiltyard_memory_bytes (\d+)/m.exec((await get('/metrics')).text)?.[1]);
}
