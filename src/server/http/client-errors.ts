import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { INSTANCE_HEADER } from '../../protocol/index.ts';
import type { Instance } from './instance.ts';
import type { RequestTracker } from './request-tracker.ts';

// What Node's parser refuses before there is a request, and the status it deserves.
const REFUSALS: Record<string, [status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};

/** What an answer of no route needs. */
export interface Answering {
  readonly requests: RequestTracker;
  readonly instance: Instance;
}

/** Answers what is not HTTP, as JSON like every other error; inside or ahead of another answer it would be taken for that. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  { requests, instance }: Answering,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  // Not again: Node tells of each packet that comes after what it could not read.
  if (!socket.writable) return socket.destroySoon();
  const [status, detail] = REFUSALS[error.code ?? ''] ?? [400, 'this is not a valid HTTP request'];
  if (!requests.refuse(socket, { status, parserError: error.code })) return void socket.destroy();
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    `${INSTANCE_HEADER}: ${instance.id}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** Closes a connection that asks for a tunnel, as Node does where nobody listens, but not in silence. */
export function refuseTunnel({ method, url }: IncomingMessage, socket: Socket, requests: RequestTracker): void {
  requests.refuse(socket, { method, url, status: 400 });
  socket.destroy();
}

/** Answers an Expect header that is not 100-continue. */
export function answerExpectation(response: ServerResponse, { headers }: Instance): void {
  const body = JSON.stringify({ detail: 'unsupported Expect header: only 100-continue is supported' });
  response.writeHead(417, {
    'content-type': 'application/json',
    'content-length': body.length,
    connection: 'close',
    ...headers,
  });
  response.end(body);
}

/** Answers what Fastify refuses before any hook runs, such as a path that cannot be decoded. */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { requests, instance }: Answering,
): void {
  requests.begin(request.raw, reply.raw);
  closeAfterUpgrade(request, reply);
  reply
    .code(error.statusCode ?? 400)
    .headers(instance.headers)
    .send({ detail: error.message });
}

/**
 * Makes the answer to an Upgrade, which is never taken up, the last on its connection: Node keeps silent about whatever
 * breaks the rules of HTTP after it, and the client would wait in vain.
 */
export function closeAfterUpgrade({ headers }: FastifyRequest, { raw }: FastifyReply): void {
  if (headers.upgrade !== undefined) raw.setHeader('connection', 'close');
}

/** Throws for a request without a Host header, as HTTP/1.1 demands; which host it names is for web-guard.ts to judge. */
export function refuseWithoutHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new TiltyardError('bad_request', 'an HTTP/1.1 request needs a Host header');
}
