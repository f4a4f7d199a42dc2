import dns, { type LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { type Answering, answerClientError, answerExpectation, refuseTunnel } from './client-errors.ts';
import { type FastPath, WholeRequest } from './fast-path.ts';

/** What takes the requests of a server before Fastify does. */
export interface FrontDesk extends Answering {
  readonly fastPath: FastPath;
}

/**
 * The HTTP servers of one app. There may be several: `localhost` can have two addresses, and each needs a server. Fastify opens
 * the others only where it makes its servers itself. All are made here, so that they behave alike.
 */
export class HttpServers {
  readonly #options: ServerOptions;
  readonly #servers: Server[] = [];
  readonly #connections = new Set<Socket>();
  #desk: FrontDesk | undefined;
  #handler: RequestListener = () => {};

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Says who takes the requests: later than the first server is made, but before it listens. */
  open(desk: FrontDesk): void {
    this.#desk = desk;
    for (const server of this.#servers) this.#serve(server, desk);
  }

  /** Who takes the requests: there is somebody before the first server listens. */
  get desk(): FrontDesk {
    if (this.#desk === undefined) throw new Error('a request came before anybody took requests');
    return this.#desk;
  }

  /** Makes a server whose requests go to `handler`, except those that the fast path takes. */
  make(handler: RequestListener): Server {
    this.#handler = handler;
    const server = createServer({ ...this.#options, IncomingMessage: WholeRequest });
    // Connections live for as long as they are used; how slowly requests may come has limits of its own.
    server.setTimeout(0);
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#servers.push(server);
    if (this.#desk !== undefined) this.#serve(server, this.#desk);
    return server;
  }

  #serve(server: Server, desk: FrontDesk): void {
    const { requests, fastPath, instance } = desk;
    server.on('request', requests.inTurn(fastPath.before(this.#handler)));
    server.on('clientError', (error, socket) => answerClientError(error, socket as Socket, desk));
    const refuseExpectation: RequestListener = (request, response) => {
      requests.begin(request, response);
      answerExpectation(response, instance);
    };
    server.on('checkExpectation', requests.inTurn(refuseExpectation));
    server.on('connect', (request, socket) => refuseTunnel(request, socket as Socket, requests));
  }

  /** Listens on the other addresses of this machine's own name, if it has more than one. */
  async listenBeside(main: Server, backlog: number): Promise<void> {
    const { address, port } = main.address() as AddressInfo;
    const found = await new Promise<readonly LookupAddress[]>((resolve) =>
      dns.lookup('localhost', { all: true }, (_error, addresses = []) => resolve(addresses)),
    );
    const others = found.filter((each) => each.address !== address);
    await Promise.all(others.map(({ address: host }) => listen(this.make(this.#handler), { host, port, backlog })));
  }

  /** Closes those that Fastify does not know, when the connections of all have ended or are given up. */
  async closeBeside(main: Server): Promise<void> {
    const others = this.#servers.filter((server) => server !== main && server.listening);
    await Promise.all(others.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  get isListening(): boolean {
    return this.#servers.some(({ listening }) => listening);
  }

  /** Takes no new connections, and keeps those that there are; resolves when all of them have closed. */
  async refuseConnections(): Promise<void> {
    const listening = this.#servers.filter((server) => server.listening);
    // The method of HTTP servers would close idle connections as well.
    await Promise.all(
      listening.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve))),
    );
  }

  /** Closes connections on which nothing has come yet: clients connect in advance, and Node takes those for busy ones. */
  closeUnused(): void {
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }

  closeIdleConnections(): void {
    for (const server of this.#servers) server.closeIdleConnections();
  }

  closeAllConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }
}

/** The first address is what was asked for: another that cannot be had is left out. */
function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve) => {
    server.once('error', () => resolve());
    server.listen(options, resolve);
  });
}
