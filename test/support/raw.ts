import { connect } from 'node:net';
import { type Answer, toAnswer } from './http.ts';

/** A connection on which a test can write what no HTTP client would. */
export interface RawConnection {
  /** Writes bytes as they are and reads the answer to them. */
  send(bytes: string | Uint8Array): Promise<Answer>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

// Long enough for a busy machine, short enough to tell a hang from a slow answer.
const PATIENCE_MS = 5_000;

/** Sends bytes on a connection of their own and reads the answer. */
export async function exchange(server: { readonly url: string }, bytes: string | Uint8Array): Promise<Answer> {
  const connection = openRaw(server);
  try {
    return await connection.send(bytes);
  } finally {
    connection.close();
  }
}

/** A request as text: `toRequest('PUT /health', ['X-A: b'], 'body')`. It names a host and the length of its body. */
export function toRequest(line: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...length, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** Opens a connection to the server, for the caller to close. */
export function openRaw({ url }: { readonly url: string }): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let received: Buffer = Buffer.alloc(0);
  let failure: Error | undefined;
  socket.on('error', (error) => {
    failure = error;
  });
  const send = (bytes: string | Uint8Array) =>
    new Promise<Answer>((resolve, reject) => {
      const settle = (result: Answer | Promise<Answer> | Error) => {
        clearTimeout(timer);
        socket.off('data', read).off('close', giveUp);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      const giveUp = () => settle(failure ?? new Error('the server closed the connection without an answer'));
      const read = (packet: Buffer) => {
        received = Buffer.concat([received, packet]);
        const parsed = parseResponse(received);
        if (parsed === undefined) return;
        received = parsed.rest;
        settle(toAnswer(parsed.response));
      };
      const timer = setTimeout(() => settle(new Error('the server does not answer')), PATIENCE_MS);
      socket.on('data', read).once('close', giveUp);
      socket.write(bytes);
      // The answer may have come together with the one before.
      read(Buffer.alloc(0));
    });
  return { send, closed, close: () => void socket.destroy() };
}

/** The first response, if all of it has come, and what follows it. */
function parseResponse(bytes: Buffer): { response: Response; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]));
  const length = Number(headers.get('content-length') ?? 0);
  const body = bytes.subarray(end + 4);
  if (body.length < length) return undefined;
  const init = { status: Number(statusLine.split(' ')[1]), headers };
  return { response: new Response(new Uint8Array(body.subarray(0, length)), init), rest: body.subarray(length) };
}
