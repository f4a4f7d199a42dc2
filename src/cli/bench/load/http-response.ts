import {
  type AnswerHandler,
  MalformedResponse,
  type ResponseHead,
  ResponseParser,
} from '../../../http-client/index.ts';

/** One answer, read to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Whether the server keeps the connection open for another request. */
  readonly isKept: boolean;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Reads whole answers from the bytes of a connection, one at a time; none may be larger than a load is willing to hold. */
export class WholeResponses implements AnswerHandler {
  readonly #parser = new ResponseParser(this);
  #head: ResponseHead | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #whole: HttpResponse | undefined;

  /** Whether an answer has begun and has not ended. */
  get isBusy(): boolean {
    return this.#parser.isBusy;
  }

  /** Takes bytes; gives the answer when it is whole. */
  push(data: Buffer): HttpResponse | undefined {
    this.#parser.push(data);
    return this.#take();
  }

  /** The connection has ended: gives the answer whose end is told by that, or undefined if one was cut. */
  end(): HttpResponse | undefined {
    this.#parser.end();
    return this.#take();
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#count(head.length);
    this.#bytes = 0;
  }

  onBody(bytes: Buffer): void {
    this.#count(bytes.length);
    this.#parts.push(bytes);
  }

  onEnd(): void {
    const { status, isKept } = this.#head as ResponseHead;
    const [first = NOTHING] = this.#parts;
    const body = this.#parts.length <= 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#whole = { status, body, isKept };
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BODY_BYTES) throw new MalformedResponse('the answer is larger than 64 MB');
  }

  #take(): HttpResponse | undefined {
    const whole = this.#whole;
    this.#whole = undefined;
    return whole;
  }
}
