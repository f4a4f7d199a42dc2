import type { Socket } from 'node:net';

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
