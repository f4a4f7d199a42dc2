/** One answer, read to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Whether the server keeps the connection open for another request. */
  readonly isKept: boolean;
}

/** Thrown for what is no answer in HTTP/1.1, or one that is larger than a load is willing to hold. */
export class MalformedResponse extends Error {
  override readonly name: string = 'MalformedResponse';
}

const MAX_LINE_BYTES = 80 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

type Phase = 'head' | 'length' | 'until close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers';

/**
 * Reads answers from the bytes of a connection, one at a time, however the bytes were cut. It knows what tool servers
 * send and no more: nothing is decompressed, and headers other than those of framing are not looked at.
 */
export class ResponseParser {
  #phase: Phase = 'head';
  // Bytes that do not make a whole line yet.
  #rest: Buffer = NOTHING;
  #status = 0;
  #isKept = true;
  // The head of the answer before, and what it says comes after it.
  #lastHead: Buffer = NOTHING;
  #lastPhase: Phase = 'head';
  #lastMissing = 0;
  /** How much of the body, or of the chunk, is still to come. */
  #missing = 0;
  #parts: Buffer[] = [];
  #bodyBytes = 0;

  /** Whether an answer has begun and has not ended. */
  get isBusy(): boolean {
    return this.#phase !== 'head' || this.#rest.length > 0;
  }

  /** Takes bytes; gives the answer when it is whole. */
  push(data: Buffer): HttpResponse | undefined {
    let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    this.#rest = NOTHING;
    for (;;) {
      const used = this.#take(bytes);
      if (used < 0) {
        if (bytes.length > MAX_LINE_BYTES) throw new MalformedResponse('a line of the answer is too long');
        this.#rest = bytes;
        return undefined;
      }
      bytes = bytes.subarray(used);
      if (this.#isWhole()) {
        if (bytes.length > 0) throw new MalformedResponse('the answer is longer than it says');
        return this.#finish();
      }
      if (bytes.length === 0) return undefined;
    }
  }

  /** The connection has ended: gives the answer whose end is told by that, or undefined if one was cut. */
  end(): HttpResponse | undefined {
    return this.#phase === 'until close' ? this.#finish() : undefined;
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
    return this.#takeSameHead(bytes) ?? this.#takeNewHead(bytes);
  }

  /** Takes a head that is byte for byte the one before, as most under load are until their date changes: one comparison. */
  #takeSameHead(bytes: Buffer): number | undefined {
    const { length } = this.#lastHead;
    if (length === 0 || bytes.length < length || bytes.compare(this.#lastHead, 0, length, 0, length) !== 0)
      return undefined;
    this.#phase = this.#lastPhase;
    this.#missing = this.#lastMissing;
    return length;
  }

  #takeNewHead(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (!isHeadStart(bytes)) throw new MalformedResponse('the answer is not HTTP/1.1');
      return -1;
    }
    const head = bytes.toString('latin1', 0, end);
    const status = /^HTTP\/1\.([01]) (\d{3})/.exec(head);
    if (status === null) throw new MalformedResponse('the answer is not HTTP/1.1');
    this.#status = Number(status[2]);
    // Only announces the answer that follows it.
    if (this.#status >= 100 && this.#status < 200) return end + END_OF_HEAD.length;
    this.#isKept = status[1] === '1' && !/\r\nconnection:[^\r]*close/i.test(head);
    this.#frame(head);
    const length = end + END_OF_HEAD.length;
    // A copy: the rest of these bytes may be a large body.
    this.#lastHead = Buffer.from(bytes.subarray(0, length));
    this.#lastPhase = this.#phase;
    this.#lastMissing = this.#missing;
    return length;
  }

  #frame(head: string): void {
    this.#missing = 0;
    this.#phase = 'length';
    if (this.#status === 204 || this.#status === 304) return;
    if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) {
      this.#phase = 'chunk size';
      return;
    }
    const length = /\r\ncontent-length:[ \t]*(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#phase = 'until close';
      this.#isKept = false;
      return;
    }
    this.#missing = Number(length);
    if (this.#missing > MAX_BODY_BYTES) throw new MalformedResponse('the answer is larger than 64 MB');
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
    this.#bodyBytes += length;
    if (this.#bodyBytes > MAX_BODY_BYTES) throw new MalformedResponse('the answer is larger than 64 MB');
    this.#parts.push(bytes.subarray(0, length));
    this.#missing -= length;
    if (this.#phase === 'chunk' && this.#missing === 0) this.#phase = 'chunk end';
    return length;
  }

  #isWhole(): boolean {
    return this.#phase === 'length' && this.#missing === 0;
  }

  #finish(): HttpResponse {
    const [first = NOTHING] = this.#parts;
    const body = this.#parts.length <= 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bodyBytes = 0;
    this.#phase = 'head';
    return { status: this.#status, body, isKept: this.#isKept };
  }
}

const HEAD_START = Buffer.from('HTTP/1.');

// So that a server of another kind is found out by its first bytes, and not waited for.
function isHeadStart(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, HEAD_START.length);
  return bytes.compare(HEAD_START, 0, length, 0, length) === 0;
}
