import type { BenchServer } from './child.ts';

const CALL = JSON.stringify({ name: 'add', input: { amount: 12, note: 'a note of some length' } });

/** Begins an episode for each connection and returns the bytes of a call in each. */
export async function prepareCalls(server: BenchServer, connections: number): Promise<string[]> {
  const sids = await Promise.all(Array.from({ length: connections }, () => createEpisode(server)));
  return sids.map((sid) => toRequest('/counter/call', sid, CALL));
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

function toRequest(path: string, sid: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: ${sid}\r\nAccept: text/event-stream\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
