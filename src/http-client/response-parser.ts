import { MalformedResponse, ResponseHead } from './response-head.ts';

/** Gets the parts of an answer as they come. */
export interface AnswerHandler {
  onHead(head: ResponseHead): void;
  /** A piece of the body; it shares its memory with what was pushed. */
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

const MAX_LINE_BYTES = 80 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

type Phase = 'head' | 'length' | 'until close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers';

/** Reads answers from the bytes of a connection, one at a time, however the bytes were cut. Nothing is decompressed. */
export class ResponseParser {
  readonly #handler: AnswerHandler;
  #phase: Phase = 'head';
  // Bytes that do not make a whole line yet.
  #rest: Buffer = NOTHING;
  // The bytes of the last head, and what they say.
  #lastBytes: Buffer = NOTHING;
  #lastHead: ResponseHead | undefined;
  /** How much of the body, or of the chunk, is still to come. */
  #missing = 0;

  constructor(handler: AnswerHandler) {
    this.#handler = handler;
  }

  /** Whether an answer has begun and has not ended. */
  get isBusy(): boolean {
    return this.#phase !== 'head' || this.#rest.length > 0;
  }

  /** Takes bytes of one answer. */
  push(data: Buffer): void {
    let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    this.#rest = NOTHING;
    for (;;) {
      const used = this.#take(bytes);
      if (used < 0) {
        if (bytes.length > MAX_LINE_BYTES) throw new MalformedResponse('a line of the answer is too long');
        // A copy: the caller may use its memory again.
        this.#rest = Buffer.from(bytes);
        return;
      }
      bytes = bytes.subarray(used);
      if (this.#phase === 'length' && this.#missing === 0) {
        if (bytes.length > 0) throw new MalformedResponse('the answer is longer than it says');
        return this.#finish();
      }
      if (bytes.length === 0) return;
    }
  }

  /** The connection has ended: false if that cut an answer, or came before one. */
  end(): boolean {
    if (this.#phase !== 'until close') return false;
    this.#finish();
    return true;
  }

  /** How many bytes the phase used, or -1 if it needs more than there are. */
  #take(bytes: Buffer): number {
    switch (this.#phase) {
      case 'head':
        return this.#takeHead(bytes);
      case 'chunk size':
        return this.#takeSize(bytes);
      case 'chunk end':
        return this.#takeChunkEnd(bytes);
      case 'trailers':
        return this.#takeTrailer(bytes);
      default:
        return this.#takeBody(bytes);
    }
  }

  #takeHead(bytes: Buffer): number {
    const { length } = this.#lastBytes;
    // Under load most heads are byte for byte the one before, until their date changes: one comparison.
    const isSame = length > 0 && bytes.length >= length && bytes.compare(this.#lastBytes, 0, length, 0, length) === 0;
    const used = isSame ? length : this.#readHead(bytes);
    const head = this.#lastHead;
    if (used < 0 || head === undefined || head.isInterim) return used;
    this.#missing = head.length;
    this.#phase = head.framing === 'chunks' ? 'chunk size' : head.framing === 'close' ? 'until close' : 'length';
    this.#handler.onHead(head);
    return used;
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (!isHeadStart(bytes)) throw new MalformedResponse('the answer is not HTTP/1.1');
      return -1;
    }
    const length = end + END_OF_HEAD.length;
    this.#lastHead = new ResponseHead(bytes.toString('latin1', 0, end));
    // A copy: the rest of these bytes may be a large body.
    this.#lastBytes = Buffer.from(bytes.subarray(0, length));
    return length;
  }

  #takeSize(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_LINE);
    if (end < 0) return -1;
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    if (size === undefined) throw new MalformedResponse('a chunk of the answer has no size');
    this.#missing = Number.parseInt(size, 16);
    this.#phase = this.#missing === 0 ? 'trailers' : 'chunk';
    return end + END_OF_LINE.length;
  }

  #takeChunkEnd(bytes: Buffer): number {
    if (bytes.length < END_OF_LINE.length) return -1;
    if (bytes[0] !== 13 || bytes[1] !== 10) throw new MalformedResponse('a chunk is longer than it says');
    this.#phase = 'chunk size';
    return END_OF_LINE.length;
  }

  #takeTrailer(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_LINE);
    if (end < 0) return -1;
    // An empty line ends the trailers, and the answer with them.
    if (end === 0) {
      this.#phase = 'length';
      this.#missing = 0;
    }
    return end + END_OF_LINE.length;
  }

  #takeBody(bytes: Buffer): number {
    const length = this.#phase === 'until close' ? bytes.length : Math.min(bytes.length, this.#missing);
    this.#missing -= length;
    if (this.#phase === 'chunk' && this.#missing === 0) this.#phase = 'chunk end';
    if (length > 0) this.#handler.onBody(bytes.subarray(0, length));
    return length;
  }

  #finish(): void {
    this.#phase = 'head';
    this.#handler.onEnd();
  }
}

const HEAD_START = Buffer.from('HTTP/1.');

// So that a server of another kind is found out by its first bytes, and not waited for.
function isHeadStart(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, HEAD_START.length);
  return bytes.compare(HEAD_START, 0, length, 0, length) === 0;
}
