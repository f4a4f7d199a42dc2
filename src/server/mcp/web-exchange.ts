import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerHeaders } from '../../mcp/index.ts';
import type { Transfer } from '../http/transfers.ts';

/** A request as the SDK takes it; `signal` tells that its client has left. */
export function toWebRequest({ headers }: Pick<FastifyRequest, 'headers'>, signal: AbortSignal): Request {
  // Where it came to makes no difference to the SDK, and its body is given as it was parsed.
  return new Request('http://tiltyard/mcp', { method: 'POST', headers: sdkHeaders(headers), signal });
}

/** Sends the SDK's answer, at the speed at which its client reads. */
export async function sendWebResponse(reply: FastifyReply, response: Response, transfer: Transfer): Promise<void> {
  reply.code(response.status);
  reply.headers(answerHeaders(response));
  const { body } = response;
  if (body === null) return void reply.send();
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(response.status, reply.getHeaders() as Record<string, string>);
  const reader = body.getReader();
  raw.once('close', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || raw.destroyed) break;
    if (raw.write(value)) continue;
    transfer.add(value.length);
    await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    transfer.moved();
  }
  raw.end();
}

/** A signal that fires if the client leaves before its answer is out. */
export function leavingOf({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}

function sdkHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' &&
      (entry[0] === 'accept' || entry[0] === 'content-type' || entry[0].startsWith('mcp-')),
  );
  return Object.fromEntries(own);
}
