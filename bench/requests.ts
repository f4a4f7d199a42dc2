import { type RequestParts, toEndpoint, toRequest } from '../src/cli/bench/load/endpoint.ts';
import { numberedRequests } from '../src/cli/bench/load/numbered-requests.ts';
import { API_KEY } from './servers/api-key.ts';

/** One request as bytes, and what its answer must contain. */
export interface Request {
  readonly bytes: Buffer;
  readonly expect: string;
}

/** Gives the requests that make up the next unit of a connection: most often one. */
export type Next = (connection: number) => readonly Request[];

/** What every contender's `add` tool gets. */
export const ADD_INPUT = { amount: 12, note: 'a note of some length' };

// Only the headers matter: where a request goes is the connection's affair.
const endpoint = toEndpoint('http://localhost', { 'X-API-Key': API_KEY });

/** A POST with a JSON body. */
export function post(path: string, body: object, { expect, sid }: { expect: string; sid?: string }): Request {
  return { bytes: toRequest(endpoint, postParts(path, body, sid)), expect };
}

/** A GET within a session. */
export function get(path: string, { expect, sid }: { expect: string; sid: string }): Request {
  return { bytes: toRequest(endpoint, { method: 'GET', path, headers: { 'X-Session-ID': sid } }), expect };
}

/** The call of a tool over ORS. */
export function toolCall(sid: string, name: string, input: object): Request {
  return post('/counter/call', { name, input }, { expect: '"ok":', sid });
}

/** Calls of `add` over ORS, each connection in an episode of its own. */
export function addCalls(sids: readonly string[]): Next {
  const requests = sids.map((sid) => [toolCall(sid, 'add', ADD_INPUT)]);
  return (connection) => requests[connection % requests.length] as Request[];
}

/** Calls of a tool that computes for so long, each connection in an episode of its own. */
export function workCalls(sids: readonly string[], ms: number): Next {
  const requests = sids.map((sid) => [toolCall(sid, 'work', { ms })]);
  return (connection) => requests[connection % requests.length] as Request[];
}

/** Calls of `add`, each with a `task_id` that no other has, as the client of this package sends it. */
export function addCallsWithIds(sids: readonly string[]): Next {
  const sources = sids.map((sid) =>
    numberedRequests(endpoint, (id) => postParts('/counter/call', { name: 'add', input: ADD_INPUT, task_id: id }, sid)),
  );
  return (connection) => [{ bytes: sources[connection % sources.length]?.() as Buffer, expect: '"ok":' }];
}

/** Calls of the same tool over OXP. */
export function oxpCalls(): Next {
  const request = [post('/tools/call', oxpCall(), { expect: '"success":true' })];
  return () => request;
}

/** The same, each call with a `call_id` that no other has. */
export function oxpCallsWithIds(): Next {
  const source = numberedRequests(endpoint, (id) => postParts('/tools/call', oxpCall(id)));
  return () => [{ bytes: source(), expect: '"success":true' }];
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

function oxpCall(id?: string): object {
  return { request: { call_id: id, tool_id: 'Counter.Add', input: ADD_INPUT } };
}

function postParts(path: string, body: object, sid?: string): RequestParts {
  const session = sid === undefined ? {} : { 'X-Session-ID': sid };
  const headers = { ...session, Accept: 'text/event-stream, application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}
