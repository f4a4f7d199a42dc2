import { connect, type Socket } from 'node:net';
import { HOSTILE_KEY } from './sides.ts';

/** A request of the attackers as it goes over the wire, without its body. */
export interface Attack {
  readonly path: string;
  readonly sid?: string;
  readonly length: number;
}

/** The head of a POST of the attackers. */
export function headOf({ path, sid, length }: Attack): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `X-API-Key: ${HOSTILE_KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...(sid === undefined ? [] : [`X-Session-ID: ${sid}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A connection that reads nothing unless it is told to. What breaks it shows in its end. */
export function openDeaf(port: number): Socket {
  return connect(port, '127.0.0.1')
    .on('error', () => {})
    .pause();
}

/** Writes as fast as the server reads, and gives up when it has read nothing for a while, or has closed the connection. */
export async function push(socket: Socket, bytes: Buffer | string, patienceMs = 2_000): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      socket.off('drain', end).off('close', end);
      resolve();
    };
    const timer = setTimeout(end, patienceMs);
    socket.once('drain', end).once('close', end);
  });
}

/** Sends a whole request, and gives the status of its answer; undefined if there was none. */
export async function post(port: number, attack: Omit<Attack, 'length'>, body: string): Promise<number | undefined> {
  const socket = openDeaf(port);
  try {
    const answered = new Promise<number | undefined>((resolve) => {
      socket.once('close', () => resolve(undefined));
      socket.once('data', (data) => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(String(data))?.[1])));
    });
    socket.write(headOf({ ...attack, length: Buffer.byteLength(body) }));
    socket.resume();
    void push(socket, body, 30_000);
    return await answered;
  } finally {
    socket.destroy();
  }
}
