import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describe, listOf, must, type Rule, TiltyardError } from '../../core/index.ts';
import { FEATURES_HEADER, INSTANCE_HEADER, OUTCOME_HEADER } from '../../protocol/index.ts';
import { HostNames, hostNames, isLoopback } from './host-names.ts';

/** Which web pages may use a server, and under which names it is served. */
export interface WebOptions {
  /**
   * Names in the Host header under which a server without auth is served, besides those of this machine: `envs.internal`,
   * `*.internal` for all names below it, or `*` for any.
   */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins whose web pages may use the server, such as `https://app.example.com`, or `*` for any. Default: its own. */
  readonly allowOrigins?: readonly string[] | undefined;
}

const ANY = '*';

const webOrigins: Rule = listOf(
  must(
    "an origin without path, such as 'https://app.example.com' or 'http://localhost:5173', or '*' for any",
    (value) => typeof value === 'string' && (value === ANY || /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+$/i.test(value)),
  ),
  "['https://app.example.com']",
);

/** The rules of both options. */
export const WEB_OPTIONS: { readonly [Name in keyof Required<WebOptions>]: Rule } = {
  allowHosts: hostNames,
  allowOrigins: webOrigins,
};

/** Refuses options with which no server would start, under the names that the user knows them by. */
export function assertWebOptions(options: WebOptions, places: Record<keyof WebOptions, string>): void {
  for (const name of ['allowHosts', 'allowOrigins'] as const)
    if (options[name] !== undefined) WEB_OPTIONS[name](options[name], places[name]);
}

/** What the guard needs to know of its server. */
export interface WebGuardOptions extends WebOptions {
  readonly auth?: object | undefined;
}

/**
 * Keeps web pages from using a server that asks nobody for credentials. Anyone's page can make the browser of somebody who
 * has such a server running send requests to it, so a page of another origin is refused, and so is a name that is not the
 * server's (see host-names.ts). With auth neither matters, since a page does not know the key and no browser adds it.
 */
export class WebGuard {
  /** Undefined where any will do. */
  readonly #hosts: HostNames | undefined;
  readonly #origins: ReadonlySet<string>;
  /** Whether it makes a difference which page a request comes from. */
  readonly #looksAtPages: boolean;

  /** `isLocal` tells whether the server listens on this machine only. */
  constructor({ auth, allowHosts = [], allowOrigins = [] }: WebGuardOptions, isLocal: () => boolean) {
    this.#hosts = auth === undefined ? new HostNames(allowHosts, isLocal) : undefined;
    this.#origins = new Set(allowOrigins.map((origin) => origin.toLowerCase()));
    this.#looksAtPages = auth === undefined || allowOrigins.length > 0;
  }

  /** Notes the name that the server was told to listen on: it is its own. */
  answerTo(name: string): void {
    this.#hosts?.add(name);
  }

  /** Whether it looks at requests at all. */
  get isNeeded(): boolean {
    return this.#looksAtPages || this.#hosts !== undefined;
  }

  /** Whether a request has nothing about it that `take` would look at: it comes from no page, under a name of the server's. */
  isPlain(headers: IncomingHttpHeaders): boolean {
    if (this.#looksAtPages && (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)) return false;
    return this.#hosts === undefined || this.#hosts.has(headers.host ?? '');
  }

  /** Throws if a request may not come; otherwise answers it if it only asks whether a page may, and returns true. */
  take({ headers, method }: FastifyRequest, reply: FastifyReply): boolean {
    const { host, origin } = headers;
    // Clients that know no Host header, of HTTP/1.0, are not browsers.
    if (host !== undefined && this.#hosts?.has(host) === false) throw wrongHost(host);
    if (!this.#looksAtPages) return false;
    if (this.#isAllowed(origin)) return welcomePage(headers, method, reply);
    if (this.#hosts === undefined) return false;
    if (origin !== undefined && !isOwn(origin, host)) throw foreignPage(origin);
    // Images, scripts and links come without an origin.
    if (headers['sec-fetch-site'] === 'cross-site' && !this.#origins.has(ANY)) throw foreignPage(origin);
    return false;
  }

  #isAllowed(origin: string | undefined): origin is string {
    return origin !== undefined && (this.#origins.has(ANY) || this.#origins.has(origin.toLowerCase()));
  }
}

/** Guards an app's requests where a protocol is mounted in it: the app says where it listens. */
export function guardWeb(app: FastifyInstance, options: WebGuardOptions): WebGuard {
  const guard = new WebGuard(options, () => listensLocally(app));
  app.addHook('onRequest', (request, reply, done) => {
    if (!guard.take(request, reply)) done();
  });
  return guard;
}

/** Whether an app can be reached from this machine only, as far as it listens already. */
export function listensLocally({ server }: FastifyInstance): boolean {
  const address = server.address();
  return address === null || typeof address === 'string' || isLoopback(address.address);
}

// The scheme makes no difference: a proxy that adds TLS keeps the host.
function isOwn(origin: string, host: string | undefined): boolean {
  const [, ofPage] = /^https?:\/\/(.*)$/i.exec(origin) ?? [];
  return ofPage !== undefined && ofPage.toLowerCase() === host?.toLowerCase();
}

// What our clients read.
const EXPOSED = [FEATURES_HEADER, INSTANCE_HEADER, OUTCOME_HEADER, 'retry-after', 'allow', 'www-authenticate'].join(
  ', ',
);

/** Lets a page of another origin read the answer (CORS); true if that is all that was asked. */
function welcomePage(headers: IncomingHttpHeaders, method: string, reply: FastifyReply): boolean {
  reply.headers({
    'access-control-allow-origin': headers.origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'origin',
  });
  const asked = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || asked === undefined) return false;
  reply.headers({
    'access-control-allow-methods': 'GET, POST',
    // Whichever they are: the page is trusted with what it may send.
    'access-control-allow-headers': headers['access-control-request-headers'] ?? 'content-type',
    'access-control-max-age': '600',
  });
  if (headers['access-control-request-private-network'] === 'true')
    reply.header('access-control-allow-private-network', 'true');
  reply.code(204).send();
  return true;
}

function wrongHost(host: string): TiltyardError {
  const shown = describe(host);
  return new TiltyardError(
    'host_not_allowed',
    `this server is not served under the host ${shown}. Without auth, only names of this machine are, since a web page ` +
      'can use any other. If the name is yours, start the server with --allow-host <name>, or with `allowHosts` in a program',
  );
}

function foreignPage(origin: string | undefined): TiltyardError {
  const page = origin === undefined ? 'another site' : `the origin ${describe(origin)}`;
  return new TiltyardError(
    'origin_not_allowed',
    `web pages of ${page} may not use this server. If the page is yours, start the server with --allow-origin <origin>, ` +
      'or with `allowOrigins` in a program',
  );
}
