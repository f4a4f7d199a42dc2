import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request on its way, and what may become of it. */
export interface Passing {
  readonly method: string;
  path: string;
  readonly headers: Record<string, string>;
  body: string;
}

/** An answer on its way back. */
export interface Returning {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** How a server is broken: by changes of what it is asked, of what it answers, or of both. */
export interface Break {
  readonly ask?: (request: Passing) => void;
  readonly answer?: (answer: Returning, request: Passing) => void;
}

/** Starts a proxy that breaks one thing about the server behind it; it is closed when the test ends. */
export async function startBreaking(target: string, { ask, answer }: Break): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const passing = await toPassing(incoming);
    ask?.(passing);
    const { method, path, headers, body } = passing;
    const response = await fetch(target + path, { method, headers, ...(body === '' ? {} : { body }) });
    const returning = { status: response.status, headers: toHeaders(response), body: await response.text() };
    answer?.(returning, passing);
    outgoing.writeHead(returning.status, returning.headers).end(returning.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Changes the JSON of an answer. */
export function changeJson(returning: Returning, change: (body: any) => unknown): void {
  const body = JSON.parse(returning.body);
  const changed = change(body);
  returning.body = JSON.stringify(changed ?? body);
}

async function toPassing(incoming: IncomingMessage): Promise<Passing> {
  let body = '';
  for await (const packet of incoming.setEncoding('utf8')) body += packet;
  const kept = Object.entries(incoming.headers).filter(
    ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
  );
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(kept) as Record<string, string>,
    body,
  };
}

function toHeaders(response: Response): Record<string, string> {
  return { 'content-type': response.headers.get('content-type') ?? '' };
}
