import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../core/index.ts';

// What Node's parser refuses before there is a request, and the status it deserves.
const REFUSALS: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};

/** Answers what is not HTTP, as JSON like every other error. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const [status, detail] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'this is not a valid HTTP request'];
    const body = JSON.stringify({ detail });
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

/** Answers an Expect header that is not 100-continue. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ detail: 'this server meets no expectation but 100-continue' });
  response.writeHead(417, { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' });
  response.end(body);
}

/**
 * Makes the answer to an Upgrade, which is never taken up, the last on its connection: Node keeps silent about whatever
 * breaks the rules of HTTP after it, and the client would wait in vain.
 */
export function closeAfterUpgrade({ headers }: FastifyRequest, { raw }: FastifyReply): void {
  if (headers.upgrade !== undefined) raw.setHeader('connection', 'close');
}

/** Throws for a request without a Host header, as HTTP/1.1 demands; which host it names is nobody's business. */
export function refuseWithoutHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new TiltyardError('bad_request', 'an HTTP/1.1 request needs a Host header');
}
