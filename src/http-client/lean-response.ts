import type { Connection, Exchange } from './connection.ts';
import type { ResponseHead } from './response-head.ts';

type Read = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined };

// More than this waits in the socket until it is read.
const MOST_CHUNKS = 16;

/** The body of an answer, read chunk by chunk. */
export class LeanBody {
  readonly #connection: Connection;
  readonly #chunks: Uint8Array[] = [];
  #end: 'open' | 'done' | Error = 'open';
  #waiting: { readonly resolve: (read: Read) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  read(): Promise<Read> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      if (this.#end === 'open') this.#connection.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === 'done') return Promise.resolve({ done: true, value: undefined });
    if (this.#end instanceof Error) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Gives up the rest; a connection whose answer has come to its end is used again. */
  async cancel(): Promise<void> {
    if (this.#end === 'open') this.#connection.destroy(new Error('the answer was given up'));
  }

  push(value: Uint8Array): void {
    const waiting = this.#take();
    if (waiting !== undefined) waiting.resolve({ done: false, value });
    else if (this.#chunks.push(value) >= MOST_CHUNKS) this.#connection.pause();
  }

  end(): void {
    this.#end = 'done';
    this.#take()?.resolve({ done: true, value: undefined });
  }

  fail(error: Error): void {
    this.#end = error;
    this.#take()?.reject(error);
  }

  #take() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

/** The part of a Response that the client and models read. */
class LeanResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly type = 'basic';
  readonly headers: Pick<Headers, 'get'>;
  readonly body: { getReader(): LeanBody };

  constructor(head: ResponseHead, body: LeanBody) {
    this.status = head.status;
    this.statusText = head.statusText;
    this.ok = head.status >= 200 && head.status < 300;
    this.headers = head;
    this.body = { getReader: () => body };
  }

  async text(): Promise<string> {
    const reader = this.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += decoder.decode(read.value, { stream: true });
    return text + decoder.decode();
  }
}

/** The promise of an answer. */
export interface Settle {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

/** What waits for the answer to one fetch. */
export class FetchExchange implements Exchange {
  readonly #body: LeanBody;
  readonly #settle: Settle;
  readonly #onOver: () => void;

  constructor(connection: Connection, settle: Settle, onOver: () => void) {
    this.#body = new LeanBody(connection);
    this.#settle = settle;
    this.#onOver = onOver;
  }

  onHead(head: ResponseHead): void {
    this.#settle.resolve(new LeanResponse(head, this.#body) as unknown as Response);
  }

  onBody(bytes: Buffer): void {
    this.#body.push(bytes);
  }

  onEnd(): void {
    this.#onOver();
    this.#body.end();
  }

  onFailure(error: Error): void {
    this.#onOver();
    // Of the two only one is heard: before the head there is nobody to read, and after it nobody waits.
    this.#settle.reject(error);
    this.#body.fail(error);
  }
}
