import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Endpoint } from './endpoint.ts';
import { type HttpResponse, WholeResponses } from './http-response.ts';
import type { LoadProblem, ProblemKind } from './problem.ts';

/** Bytes that went over all connections of a load. */
export interface Traffic {
  sent: number;
  received: number;
}

/** How a connection behaves. */
export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  /** No whole answer within this time is a failure. */
  readonly timeoutMs: number;
  readonly traffic: Traffic;
  /**
   * What is read goes through here: by itself, Node takes 64 KB for every read. One for all connections, because each
   * read is copied before the next.
   */
  readonly readBuffer: Buffer;
}

/** What came of a request. */
export type LoadAnswer = HttpResponse | LoadProblem;

/** Whether a request had no whole answer. */
export function isProblem(exchange: LoadAnswer): exchange is LoadProblem {
  return 'kind' in exchange;
}

/**
 * One connection on a raw socket, because a client that costs as much as the server would measure itself. It is opened
 * when it is needed, and again after the server has closed it.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #timer: NodeJS.Timeout;
  #socket: Socket | undefined;
  #isConnected = false;
  #parser = new WholeResponses();
  #settle: ((exchange: LoadAnswer) => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    // One for all requests: refreshing it costs next to nothing. When nothing is under way, it fires in vain.
    this.#timer = setTimeout(
      () => this.#fail('timeout', `no answer within ${options.timeoutMs} ms`),
      options.timeoutMs,
    ).unref();
  }

  /** Sends a request and resolves with its answer, or with what went wrong; it never rejects. */
  exchange(request: Buffer): Promise<LoadAnswer> {
    if (this.#settle !== undefined) throw new Error('a connection has one request at a time');
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer.refresh();
      this.#socket ??= this.#open();
      this.#options.traffic.sent += request.length;
      this.#socket.write(request);
    });
  }

  /** Gives up the request that is under way, which fails as cut; the next one gets a new connection. */
  abandon(): void {
    this.#fail('cut', 'the load was stopped');
  }

  /** Ends the connection for good. */
  close(): void {
    this.abandon();
    clearTimeout(this.#timer);
  }

  #open(): Socket {
    const { host, port, isSecure } = this.#options.endpoint;
    const { readBuffer: buffer } = this.#options;
    const callback = (length: number): boolean => {
      if (this.#socket === socket) this.#receive(Buffer.from(buffer.subarray(0, length)));
      return true;
    };
    // An address is no name that a certificate could be asked for by.
    const socket: Socket = isSecure
      ? connectSecurely({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ['http/1.1'] })
      : connect({ host, port, onread: { buffer, callback } });
    socket.setNoDelay(true);
    this.#isConnected = false;
    this.#parser = new WholeResponses();
    // What a socket says after it has been given up is about nobody's request.
    const whileCurrent = (act: () => void) => () => void (this.#socket === socket && act());
    socket.on(
      isSecure ? 'secureConnect' : 'connect',
      whileCurrent(() => (this.#isConnected = true)),
    );
    // Only the secure ones have this event: the others are read into the buffer.
    socket.on('data', (data: Buffer) => void (this.#socket === socket && this.#receive(data)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#socket === socket) this.#fail(this.#isConnected ? 'cut' : 'connect', toText(error));
    });
    socket.on(
      'close',
      whileCurrent(() => this.#end()),
    );
    return socket;
  }

  #receive(data: Buffer): void {
    this.#options.traffic.received += data.length;
    let response: HttpResponse | undefined;
    try {
      response = this.#parser.push(data);
    } catch (thrown) {
      return this.#fail('malformed', (thrown as Error).message);
    }
    if (response === undefined) return;
    if (!response.isKept) this.#drop();
    this.#answer(response);
  }

  #end(): void {
    const response = this.#parser.end();
    if (response === undefined) return this.#fail('cut', 'the server closed the connection');
    this.#drop();
    this.#answer(response);
  }

  #fail(kind: ProblemKind, detail: string): void {
    // A timer that fires while nothing is under way leaves the connection as it is.
    if (kind === 'timeout' && this.#settle === undefined) return;
    this.#drop();
    this.#answer({ kind, detail });
  }

  #answer(exchange: LoadAnswer): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(exchange);
  }

  #drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

function toText({ code, message }: NodeJS.ErrnoException): string {
  // A failed attempt on several addresses has a code and no message.
  return message || code || 'the connection failed';
}
