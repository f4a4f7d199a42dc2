import type { Request } from './exchange.ts';
import { API_KEY } from './servers/api-key.ts';

/** What every contender's `add` tool gets. */
export const ADD_INPUT = { amount: 12, note: 'a note of some length' };

/** A POST with a JSON body. */
export function post(path: string, body: object, { expect, sid }: { expect: string; sid?: string }): Request {
  const json = JSON.stringify(body);
  const length = Buffer.byteLength(json);
  return {
    bytes: `POST ${path} HTTP/1.1\r\n${head(sid)}Accept: text/event-stream, application/json\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${json}`,
    expect,
  };
}

/** A GET within a session. */
export function get(path: string, { expect, sid }: { expect: string; sid: string }): Request {
  return { bytes: `GET ${path} HTTP/1.1\r\n${head(sid)}\r\n`, expect };
}

/** The call of a tool over ORS. */
export function toolCall(sid: string, name: string, input: object): Request {
  return post('/counter/call', { name, input }, { expect: '"ok":', sid });
}

/** Calls of `add` over ORS, each connection in an episode of its own. */
export function addCalls(sids: readonly string[]): (connection: number) => Request {
  const requests = sids.map((sid) => toolCall(sid, 'add', ADD_INPUT));
  return (connection) => requests[connection % requests.length] as Request;
}

/** Creates episodes, some at a time, and gives their ids. */
export async function createEpisodes(port: number, count: number): Promise<string[]> {
  const sids = Array.from({ length: count }, () => crypto.randomUUID());
  const TOGETHER = 50;
  for (let first = 0; first < count; first += TOGETHER)
    await Promise.all(sids.slice(first, first + TOGETHER).map((sid) => createEpisode(port, sid)));
  return sids;
}

async function createEpisode(port: number, sid: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/create`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ env_name: 'counter', split: 'train', index: 0 }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}

/** Numbers far from each other, so that neighbours in memory do not help. */
export function strides(): () => number {
  const STRIDE = 7_919;
  let at = 0;
  return () => {
    at += STRIDE;
    return at;
  };
}

function head(sid: string | undefined): string {
  return `Host: localhost\r\nX-API-Key: ${API_KEY}\r\n${sid === undefined ? '' : `X-Session-ID: ${sid}\r\n`}`;
}
