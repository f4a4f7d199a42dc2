import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { toFailureError } from '../../core/index.ts';
import { LARGE_CHARACTERS } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Transfer, Transfers } from './transfers.ts';

const PIECE_CHARACTERS = 64 * 1024;

/** Texts one after the other as bytes, made as they are asked for; no character is cut in two. */
export function* toPieces(texts: readonly string[]): Generator<Uint8Array, void, undefined> {
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      let end = start + PIECE_CHARACTERS;
      if (isLowSurrogate(text.charCodeAt(end))) end -= 1;
      yield Buffer.from(text.slice(start, end));
      start = end;
    }
  }
}

/** Writes as fast as the client reads. The last piece goes out with the end: a write of its own would wake the client twice. */
export function pump(
  response: ServerResponse,
  pieces: Iterator<Uint8Array, void>,
  transfer: () => Transfer | undefined,
  first: IteratorResult<Uint8Array, void> = pieces.next(),
): void {
  let piece = first;
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    if (!response.write(piece.value)) {
      response.once('drain', () => {
        transfer()?.moved();
        pump(response, pieces, transfer, next);
      });
      return;
    }
    piece = next;
  }
  response.end(piece.value);
}

/** Makes large answers of this scope's routes count, and go out in pieces. One for which there is no memory is refused instead. */
export function sendLargeAnswersInPieces(app: FastifyInstance, transfers: Transfers): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') return done(null, payload);
    const { id } = identityOf(request);
    if (payload.length <= LARGE_CHARACTERS) {
      transfers.countIfQueued(reply.raw, id, payload.length);
      return done(null, payload);
    }
    const transfer = transfers.begin(reply.raw, id);
    const refusal = transfer.take(payload.length);
    if (refusal !== undefined) return done(toFailureError(refusal));
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(each(payload, transfer), { objectMode: false }));
  });
}

function* each(text: string, transfer: Transfer): Generator<Uint8Array, void, undefined> {
  for (const piece of toPieces([text])) {
    transfer.moved();
    yield piece;
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
