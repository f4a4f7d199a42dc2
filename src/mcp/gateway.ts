import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bearerOf } from '../protocol/index.ts';
import { answerHeaders } from './answer-headers.ts';
import type { McpFace } from './face.ts';
import { type FaceServerOptions, toFaceServer } from './face-server.ts';
import { loadMcp } from './library.ts';

/** A face at an address of its own on this machine, for one program. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** A bearer token that the program may send; the address alone will do. */
  readonly token: string;
}

/** Hears of the program's requests. */
export type GatewayListener = (method: string) => void;

// As a server of environments has it by default.
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Serves a face on loopback, under a name that nobody can guess; everything else there is forbidden. */
export async function openGateway(
  face: McpFace,
  options: Pick<FaceServerOptions, 'explain' | 'onError'>,
  onRequest: GatewayListener,
): Promise<Gateway> {
  const sdk = await loadMcp();
  const token = randomBytes(24).toString('base64url');
  const instructions = await face.instructions?.();
  const handler = sdk.createMcpHandler(() => toFaceServer(sdk, face, { ...options, instructions, follow: () => {} }), {
    responseMode: 'sse',
  });
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown) => {
      options.onError(thrown);
      response.destroy();
    });
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, token);
    if (refusal !== undefined) return refuse(request, response, refusal);
    const body = await readBody(request);
    if (body === undefined) return refuse(request, response, 413);
    for (const method of methodsIn(body)) onRequest(method);
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const web = new Request('http://tiltyard/mcp', {
      method: 'POST',
      headers: headersOf(request),
      body,
      signal: leaving.signal,
    });
    await send(await handler.fetch(web), response);
  }
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp/sessions/${token}`,
    token,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusalOf({ method, url = '', headers }: IncomingMessage, token: string): number | undefined {
  const [path = ''] = url.split('?');
  if (!isSame(path, `/mcp/sessions/${token}`)) return /^\/mcp\//.test(path) ? 404 : 403;
  // A web page has no business here.
  if (headers.origin !== undefined) return 403;
  if (!isSame(bearerOf(headers.authorization) ?? token, token)) return 401;
  return method === 'POST' ? undefined : 405;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 405 ? { allow: 'POST' } : {}) });
  response.end(JSON.stringify({ detail: 'this is the address of one episode, for one agent, and nothing else' }));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What a body asks for, as far as it can be read; the SDK says what is wrong with it. */
function methodsIn(body: string): string[] {
  try {
    return [JSON.parse(body)]
      .flat()
      .flatMap((message) => (typeof message?.method === 'string' ? [message.method] : []));
  } catch {
    return [];
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !HOP.has(entry[0]),
    ),
  );
}

const HOP: ReadonlySet<string> = new Set(['connection', 'content-length', 'host', 'transfer-encoding', 'expect']);

async function send(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, answerHeaders(answered));
  for await (const chunk of (answered.body ?? []) as AsyncIterable<Uint8Array>) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
