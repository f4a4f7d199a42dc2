import type { BenchServer } from './child.ts';

/** Where a benchmark sends its calls, and how it knows that they went well. */
export interface Calls {
  /** The bytes of the next call on a connection. */
  readonly request: (connection: number) => string;
  /** What every answer must contain. */
  readonly expect: string;
}

const INPUT = { amount: 12, note: 'a note of some length' };

/** Calls over ORS, each connection in an episode of its own. */
export async function orsCalls(server: BenchServer, connections: number): Promise<Calls> {
  const sids = await Promise.all(Array.from({ length: connections }, () => createEpisode(server)));
  const body = JSON.stringify({ name: 'add', input: INPUT });
  const requests = sids.map((sid) =>
    toRequest('/counter/call', body, `X-Session-ID: ${sid}\r\nAccept: text/event-stream\r\n`),
  );
  return { request: (connection) => requests[connection] ?? '', expect: '"ok":true' };
}

/** Calls over OXP, each with an id of its own, as the client makes them: it is kept like a call over ORS. */
export function oxpCalls(run: string): Calls {
  let count = 0;
  const next = () => {
    count += 1;
    return JSON.stringify({ request: { call_id: `bench-${run}-${count}`, tool_id: 'Counter.Add', input: INPUT } });
  };
  return { request: () => toRequest('/tools/call', next(), ''), expect: '"success":true' };
}

async function createEpisode({ port }: BenchServer): Promise<string> {
  const sid = crypto.randomUUID();
  const response = await fetch(`http://127.0.0.1:${port}/create`, {
    method: 'POST',
    headers: { 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ split: 'train', index: 0 }),
  });
  if (!response.ok) throw new Error(await response.text());
  return sid;
}

function toRequest(path: string, body: string, headers: string): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}
