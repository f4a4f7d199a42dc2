import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { ResponseHead } from './response-head.ts';
import { type AnswerHandler, ResponseParser } from './response-parser.ts';

/** Where a connection goes. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** One request and its answer, seen from who asks. */
export interface Exchange extends AnswerHandler {
  /** There will be no more of the answer. */
  onFailure(error: Error): void;
}

// By itself, Node takes 64 KB for every read. One for all connections, because each read is copied before the next.
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

// How long a server keeps a connection that is not used, unless it says so: five seconds are usual.
const KEPT_MS = 4_000;
// A server that closes a connection while a request is on its way to it would lose the request.
const CAUTION_MS = 1_000;

/** What a connection tells its owner. */
export interface ConnectionOwner {
  /** It can be used again. */
  freed(connection: Connection): void;
  /** It has ended for good. */
  closed(connection: Connection): void;
}

/** A connection to a server, with one exchange at a time. */
export class Connection implements AnswerHandler {
  readonly #socket: Socket;
  readonly #parser: ResponseParser = new ResponseParser(this);
  readonly #owner: ConnectionOwner;
  #exchange: Exchange | undefined;
  #head: ResponseHead | undefined;
  #isPaused = false;
  #usableUntil = 0;

  constructor(endpoint: Endpoint, owner: ConnectionOwner) {
    this.#owner = owner;
    const receive = (bytes: Buffer) => this.#receive(bytes);
    this.#socket = endpoint.isSecure ? openSecurely(endpoint, receive) : open(endpoint, receive);
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#closed());
  }

  /** Whether the server may be expected to take another request. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && performance.now() < this.#usableUntil;
  }

  /** Sends a request: bytes, or a text in which each character is one. */
  send(request: Buffer | string, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#socket.write(request, 'latin1');
  }

  /** Reads no more until `resume`: what was sent waits at the server. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Ends the connection; the exchange that is under way fails with the error. */
  destroy(error: Error): void {
    this.#fail(error);
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#exchange?.onHead(head);
  }

  onBody(bytes: Buffer): void {
    this.#exchange?.onBody(bytes);
  }

  onEnd(): void {
    const exchange = this.#exchange;
    const head = this.#head;
    this.#exchange = undefined;
    this.#head = undefined;
    if (head?.isKept) {
      this.#usableUntil = performance.now() + keptMs(head);
      this.resume();
      this.#owner.freed(this);
    } else this.#socket.destroy();
    exchange?.onEnd();
  }

  #receive(bytes: Buffer): void {
    // What nobody has asked for is the answer to nothing.
    if (this.#exchange === undefined) return void this.#socket.destroy();
    try {
      this.#parser.push(bytes);
    } catch (thrown) {
      this.#fail(thrown as Error);
    }
  }

  #closed(): void {
    this.#owner.closed(this);
    if (this.#exchange === undefined || this.#parser.end()) return;
    const when = this.#head === undefined ? 'before it answered' : 'before the end of its answer';
    this.#fail(Object.assign(new Error(`the server closed the connection ${when}`), { code: 'ECONNRESET' }));
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    exchange?.onFailure(error);
  }
}

type Receive = (bytes: Buffer) => void;

function open({ host, port }: Endpoint, receive: Receive): Socket {
  const callback = (length: number): boolean => {
    receive(Buffer.from(READ_BUFFER.subarray(0, length)));
    return true;
  };
  return connect({ host, port, onread: { buffer: READ_BUFFER, callback } });
}

function openSecurely({ host, port }: Endpoint, receive: Receive): Socket {
  // An address is no name that a certificate could be asked for by.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectSecurely({ host, port, ...name, ALPNProtocols: ['http/1.1'] }).on('data', receive);
}

function keptMs(head: ResponseHead): number {
  const seconds = /\btimeout=(\d{1,6})/i.exec(head.get('keep-alive') ?? '')?.[1];
  return seconds === undefined ? KEPT_MS : Number(seconds) * 1000 - CAUTION_MS;
}
