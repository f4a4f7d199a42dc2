import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A front of a server that forwards requests, but never answers some of them. */
export interface SilentFront {
  readonly url: string;
  /** The paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** Resolves once a path was asked for. */
  heard(path: string): Promise<void>;
}

/** Starts a front on a free port of the loopback interface; it stops when the test ends. */
export async function silentFront(target: string, isSilent: (path: string) => boolean): Promise<SilentFront> {
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    for (const listener of listeners) listener();
    if (isSilent(path)) return void request.resume();
    const { method, headers } = request;
    const onAnswer = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    };
    request.pipe(forward(new URL(path, target), { method, headers }, onAnswer).on('error', () => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    heard: (path) =>
      new Promise((resolve) => {
        const listen = () => {
          if (!asked.includes(path)) return;
          listeners.delete(listen);
          resolve();
        };
        listeners.add(listen);
        listen();
      }),
  };
}
