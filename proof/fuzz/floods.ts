import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

// How long nothing may come while answers are due.
const PATIENCE_MS = 20_000;

// How long a client that does not read stays.
const DEAF_MS = 200;

/** Sends a request many times in one write, and gives how many of them got no answer. */
export async function flood(port: number, request: Buffer, count: number): Promise<number> {
  const socket = open(port);
  try {
    return await new Promise<number>((resolve) => {
      let answers = 0;
      let rest = '';
      const end = () => {
        clearTimeout(timer);
        resolve(count - answers);
      };
      const timer = setTimeout(end, PATIENCE_MS);
      socket.once('close', end).on('data', (data: string) => {
        timer.refresh();
        const text = rest + data;
        const heads = text.split('HTTP/1.1 ');
        answers += heads.length - 1;
        // What may be the beginning of the next one.
        rest = text.slice(Math.max(text.lastIndexOf('HTTP/1.1 ') + 1, text.length - 'HTTP/1.1'.length));
        if (answers === count) end();
      });
      socket.write(Buffer.concat(Array.from({ length: count }, () => request)));
    });
  } finally {
    socket.destroy();
  }
}

/** Sends a request many times in one write, reads nothing, and leaves. Nothing can be said of answers. */
export async function deafTo(port: number, request: Buffer, count: number): Promise<number> {
  const socket = open(port).pause();
  socket.write(Buffer.concat(Array.from({ length: count }, () => request)));
  await pause(DEAF_MS);
  socket.destroy();
  return 0;
}

function open(port: number): Socket {
  return connect(port, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => {});
}
