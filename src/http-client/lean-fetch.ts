import { Connection, type ConnectionOwner, type Endpoint } from './connection.ts';
import { FetchExchange } from './lean-response.ts';
import { toRequest } from './request-text.ts';

/** A fetch with its connections, which close when it is disposed of. */
export interface LeanFetch extends Disposable {
  readonly fetch: (url: string, init: LeanInit) => Promise<Response>;
}

/** What is asked for. Where there is an `until`, its `signal` is not looked at: it may be made only for those who do. */
export interface LeanInit extends RequestInit {
  readonly until?: Until | AbortSignal | undefined;
}

/** What ends a request early: an AbortSignal costs a large part of a small request. */
export interface Until {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls back when it comes, until the returned function is called. */
  follow(onEnd: () => void): () => void;
}

/**
 * As much of fetch as the client and models use, over sockets of its own. The platform's costs many times as much processor time,
 * and gives up on an answer that does not begin within five minutes. Bodies are texts. It follows no redirect and decompresses nothing.
 */
export function leanFetch(): LeanFetch {
  const origins = new Map<string, Origin>();
  const targets = new Map<string, Target>();
  const originOf = (url: URL): Origin => {
    const known = origins.get(url.origin) ?? new Origin(url);
    origins.set(url.origin, known);
    return known;
  };
  const targetOf = (url: string): Target => {
    const parsed = new URL(url);
    const target = { origin: originOf(parsed), path: `${parsed.pathname}${parsed.search}` };
    if (targets.size >= MOST_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  };
  return {
    async fetch(url, init) {
      const { origin, path } = targets.get(url) ?? targetOf(url);
      return origin.fetch(path, init);
    },
    [Symbol.dispose]() {
      for (const origin of origins.values()) origin[Symbol.dispose]();
    },
  };
}

// Programs that send very many requests send them to a few URLs, and each would be parsed again.
const MOST_TARGETS = 100;

/** What a URL means. */
interface Target {
  readonly origin: Origin;
  readonly path: string;
}

/** A server, and the connections to it. */
class Origin implements ConnectionOwner, Disposable {
  readonly #endpoint: Endpoint;
  readonly #host: string;
  readonly #all = new Set<Connection>();
  /** The one that was used last is used first: the others may soon be closed by the server. */
  readonly #idle: Connection[] = [];

  constructor({ protocol, hostname, host, port }: URL) {
    const isSecure = protocol === 'https:';
    this.#host = host;
    this.#endpoint = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      isSecure,
    };
  }

  fetch(path: string, init: LeanInit): Promise<Response> {
    const { method = 'GET', headers, body } = init;
    const until = init.until ?? init.signal;
    return new Promise((resolve, reject) => {
      if (until?.aborted) return reject(until.reason);
      const parts = { method, path, host: this.#host, headers: entriesOf(headers), body: body as string | null };
      const request = toRequest({ ...parts, body: parts.body ?? undefined });
      const connection = this.#take();
      const onAbort = () => connection.destroy(toError(until?.reason));
      connection.send(request, new FetchExchange(connection, { resolve, reject }, follow(until, onAbort)));
    });
  }

  freed(connection: Connection): void {
    this.#idle.push(connection);
  }

  closed(connection: Connection): void {
    this.#all.delete(connection);
    const place = this.#idle.indexOf(connection);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection.destroy(new Error('the connections were closed'));
  }

  #take(): Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      idle.destroy(new Error('the connection was not used for long'));
    }
    const connection = new Connection(this.#endpoint, this);
    this.#all.add(connection);
    return connection;
  }
}

function follow(until: LeanInit['until'] | null, onAbort: () => void): () => void {
  if (!until) return () => {};
  if ('follow' in until) return until.follow(onAbort);
  until.addEventListener('abort', onAbort);
  return () => until.removeEventListener('abort', onAbort);
}

function entriesOf(headers: RequestInit['headers']): Iterable<readonly [string, string]> {
  if (headers === undefined) return [];
  return Symbol.iterator in headers ? (headers as Headers) : Object.entries(headers);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
