import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** One request to a hostile server, and what it answers with. */
export interface Attacked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a server does to those who ask it. */
export type Attack = (attacked: Attacked) => void;

/** Starts a server that does the same to every request, whatever it asks. */
export async function startHostile(attack: Attack): Promise<{ readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('error', () => {});
    response.on('error', () => {});
    attack({ request, response });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const MB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, ' ');

/** Writes the same piece for as long as the client reads. */
function flood(response: ServerResponse, piece: Buffer = PIECE): void {
  const write = () => {
    while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', write);
  };
  write();
}

const asJson = { 'content-type': 'application/json' };
const asEvents = { 'content-type': 'text/event-stream' };

const bombs = {
  gzip: () => gzipSync(Buffer.alloc(200 * MB, ' ')),
  br: () => brotliCompressSync(Buffer.alloc(200 * MB, ' '), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
const made = new Map<string, Buffer>();

function bomb(encoding: keyof typeof bombs): Attack {
  return ({ response }) => {
    const bytes = made.get(encoding) ?? bombs[encoding]();
    made.set(encoding, bytes);
    response.writeHead(200, { ...asJson, 'content-encoding': encoding }).end(bytes);
  };
}

function stream(piece: string): Attack {
  const bytes = Buffer.from(piece.repeat(Math.ceil(PIECE.length / piece.length)));
  return ({ response }) => flood(response.writeHead(200, asEvents), bytes);
}

function whole(text: () => string): Attack {
  let bytes: Buffer | undefined;
  return ({ response }) => {
    bytes ??= Buffer.from(text());
    response.writeHead(200, asJson).end(bytes);
  };
}

function raw(bytes: string): Attack {
  return ({ response }) => void response.socket?.end(bytes);
}

/** What servers do that want to hurt those who ask them, by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'a body without end': ({ response }) => flood(response.writeHead(200, asJson)),
  'an error without end': ({ response }) => flood(response.writeHead(500, asJson)),
  'a gzip bomb': bomb('gzip'),
  'a brotli bomb': bomb('br'),
  'a line without end': stream('data: x'.padEnd(100, 'x')),
  'comments without end': stream(': ping\n\n'),
  'events without end': stream('event: chunk\ndata: x\n\n'),
  'last events that never end': stream('event: end\n'),
  'brackets without end': whole(() => '['.repeat(20 * MB)),
  'more values than bytes can show': whole(() => `[${'{},'.repeat(12 * MB)}{}]`),
  'a list of tools without end': ({ response }) => {
    response.writeHead(200, asJson).write('{"tools":[{"name":"a","description":""}');
    flood(response, Buffer.from(',{"name":"a","description":""}'.repeat(2_000)));
  },
  'redirects in a circle': ({ request, response }) =>
    response.writeHead(307, { location: `${request.url?.split('?')[0]}?${Math.random()}` }).end(),
  'a status that is none': raw('HTTP/1.1 9999 Odd\r\ncontent-length: 0\r\n\r\n'),
  'no HTTP at all': raw('220 mail.example.org ESMTP\r\n'),
  'headers without end': ({ response }) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    const write = () => {
      while (response.socket?.destroyed === false)
        if (!response.socket.write(`x-${'y'.repeat(60_000)}: z\r\n`)) return void response.socket.once('drain', write);
    };
    write();
  },
  'a body that trickles': ({ response }) => {
    response.writeHead(200, asJson).write('[');
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
};
