import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { toFailureError } from '../../core/index.ts';
import { PIECE_BYTES, type RoomFor } from '../../protocol/index.ts';
import { identityOf } from '../auth/identify.ts';
import { isQueued } from './request-tracker.ts';
import type { Transfer, Transfers } from './transfers.ts';
import { LARGE_CHARACTERS } from './write-batch.ts';

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

// So that what a burst of large answers needed is not held for ever.
const MAX_SPARE = 8;

/** Memory for pieces that is used again when they are sent: memory outside the heap that comes and goes costs collections. */
export class PieceRooms {
  readonly #spare: ArrayBufferLike[] = [];

  readonly take: RoomFor = (bytes) => {
    const spare = bytes === PIECE_BYTES ? this.#spare.pop() : undefined;
    return spare === undefined ? Buffer.allocUnsafeSlow(bytes) : new Uint8Array(spare);
  };

  readonly giveBack = ({ buffer }: Uint8Array): void => {
    if (buffer.byteLength === PIECE_BYTES && this.#spare.length < MAX_SPARE) this.#spare.push(buffer);
  };
}

/** Writes pieces as fast as the client reads. The last one goes out with the end: a write of its own would wake the client twice. */
export class Pump {
  readonly #response: ServerResponse;
  #pieces: Iterator<Uint8Array, void> | undefined;
  #piece: IteratorResult<Uint8Array, void>;
  #transfer: Transfer | undefined;
  readonly #onSent: (piece: Uint8Array) => void;

  /** `onSent` gets each piece that nobody needs any more. */
  constructor(
    response: ServerResponse,
    pieces: Iterator<Uint8Array, void>,
    onSent: (piece: Uint8Array) => void = () => {},
  ) {
    this.#response = response;
    this.#onSent = onSent;
    this.#pieces = pieces;
    this.#piece = pieces.next();
  }

  /** Writes as much as the client takes, and goes on whenever it takes more. */
  readonly write = (): void => {
    this.#transfer?.moved();
    const pieces = this.#pieces;
    if (pieces === undefined) return;
    for (let next = pieces.next(); !next.done; next = pieces.next()) {
      const isTaken = this.#response.write(this.#piece.value, this.#whenSent());
      this.#piece = next;
      if (!isTaken) return void this.#response.once('drain', this.write);
    }
    this.#pieces = undefined;
    this.#response.end(this.#piece.value, this.#whenSent());
  };

  #whenSent(): (error?: Error | null) => void {
    const { value: piece } = this.#piece;
    // What could not be sent may still be in the system's hands.
    return (error) => {
      if (piece !== undefined && !error) this.#onSent(piece);
    };
  }

  /** Counts what the client has not read. If it is cut off, nothing holds the text any more, not even until the connection is closed. */
  count(transfer: Transfer, bytes: number): void {
    this.#transfer = transfer;
    transfer.onCut = () => {
      this.#pieces = undefined;
    };
    transfer.add(bytes);
  }
}

/** Makes large answers of this scope's routes count, and go out in pieces. One for which there is no memory is refused instead. */
export function sendLargeAnswersInPieces(app: FastifyInstance, transfers: Transfers): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') return done(null, payload);
    const { id } = identityOf(request);
    if (payload.length <= LARGE_CHARACTERS) {
      if (isQueued(reply.raw)) transfers.countQueued(reply.raw, id, payload.length);
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
