import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from '../support/http.ts';
import { toRequest } from '../support/raw.ts';
import { expectDescribed } from './described.ts';

/** When the caller breaks its connection: after how much of the request, and how many turns of the event loop later. */
export interface Cut {
  /** From 0, nothing was sent, to 1, all of it. */
  readonly share: number;
  readonly turns: number;
}

/** Makes a call over a connection of its own; undefined if it was cut before the answer had come. */
export async function attempt(
  { url }: { readonly url: string },
  request: object,
  cut?: Cut | undefined,
): Promise<Answer | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // What a cut breaks is no surprise; the answer says how far it came.
  socket.on('error', () => {});
  await once(socket, 'connect');
  const packets: Buffer[] = [];
  socket.on('data', (packet) => packets.push(packet));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const headers = ['Content-Type: application/json', 'Connection: close'];
  const bytes = toRequest('POST /tools/call', headers, JSON.stringify({ request }));
  socket.write(cut === undefined ? bytes : bytes.slice(0, Math.floor(bytes.length * cut.share)));
  if (cut !== undefined) {
    await turns(cut.turns);
    socket.destroy();
  }
  await closed;
  const answer = toAnswer(Buffer.concat(packets).toString());
  if (answer !== undefined) expectDescribed('POST', '/tools/call', answer);
  return answer;
}

/** Lets the event loop go round. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A whole response, or undefined if a part of it is missing. */
export function toAnswer(response: string): Answer | undefined {
  const [head = '', text = ''] = response.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  if (!headers.has('content-length') || Buffer.byteLength(text) < Number(headers.get('content-length')))
    return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text, json: JSON.parse(text) };
}
