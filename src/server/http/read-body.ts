import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Awaitable, type Failure, toError, toFailureError } from '../../core/index.ts';
import { identityOf } from '../auth/identify.ts';
import { BodyChunks } from './body-chunks.ts';
import type { Transfer, Transfers } from './transfers.ts';

/** A body up to this size is read without asking: its connection takes about as much memory anyway. */
export const SMALL_BODY_BYTES: number = 16 * 1024;

/** How large bodies of a scope are read. */
export interface BodyReading {
  readonly transfers: Transfers;
  /** Why a request is refused before its body is read; undefined if it is not. */
  refusal?(request: FastifyRequest): Awaitable<Failure | undefined>;
  /** A failure as an error in the words of the scope's protocol. Default: as it is. */
  toError?(failure: Failure): Error;
}

/**
 * Makes this scope read bodies as text, within the limit of memory. They are parsed by the handlers, because the session is
 * looked up first: a client with a dead session hears of that, whatever it sent.
 */
export function readBodiesAsText(app: FastifyInstance, reading: BodyReading): void {
  const { transfers, refusal = () => undefined, toError: explain = toFailureError } = reading;
  const large = new WeakMap<FastifyRequest, Transfer>();
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (!hasLargeBody(request.headers)) return done();
    if (announcedBytes(request) > request.routeOptions.bodyLimit) return done(tooLarge());
    const { id } = identityOf(request);
    large.set(request, transfers.begin(reply.raw, id));
    const refuse = (failure: Failure | undefined) => done(failure === undefined ? null : explain(failure));
    const full = transfers.memory.refusal(id, announcedBytes(request));
    if (full !== undefined) return refuse(full);
    Promise.resolve(refusal(request)).then(refuse, (thrown) => done(toError(thrown)));
  });
  app.removeAllContentTypeParsers();
  // JSON by name as well: Fastify remembers which parser a named type has, and works it out anew for any other.
  app.addContentTypeParser(['application/json', '*'], (request, payload, done) => {
    const transfer = large.get(request);
    const take = (bytes: number) => {
      const failure = transfer?.take(bytes);
      return failure === undefined ? undefined : explain(failure);
    };
    readText(payload, { maxBytes: request.routeOptions.bodyLimit, take }, done);
  });
}

/** Whether the headers announce a body that is worth counting, or do not say how large it is. */
function hasLargeBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BODY_BYTES;
}

/** How large a body is, as far as its headers tell. */
export function announcedBytes({ headers }: Pick<FastifyRequest, 'headers'>): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLarge(): Error {
  return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}

interface ReadingLimits {
  readonly maxBytes: number;
  /** Takes memory for what has come; or gives the error of what cannot be taken. */
  take(bytes: number): Error | undefined;
}

function readText(payload: Readable, limits: ReadingLimits, done: (error: Error | null, text?: string) => void): void {
  const body = new BodyChunks();
  let length = 0;
  const end = (error: Error | null, text?: string) => {
    // What else comes is thrown away, and what has come is freed: a client may go on sending for minutes.
    payload.off('data', onData).off('end', onEnd).off('error', onError).on('error', ignore).resume();
    body.clear();
    done(error, text);
  };
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    const error = length > limits.maxBytes ? tooLarge() : limits.take(chunk.length);
    if (error === undefined) body.add(chunk);
    else end(error);
  };
  const onEnd = () => end(null, body.toString());
  // The client has left, or sends what cannot be read: nothing of that is the server's fault.
  const onError = (error: Error) => end(Object.assign(error, { statusCode: 400 }));
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

function ignore(): void {}
