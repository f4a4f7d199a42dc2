import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../shared/refusal.ts';

/** Lets in only who has the token of this launch, under a name of this machine, and from no other page. */
export class Gate {
  /** In the address that the command prints. */
  readonly token: string = newToken();
  readonly #pass = newToken();
  /** Each lets somebody in once. */
  readonly #tickets = new Set<string>();
  readonly #names: ReadonlySet<string>;
  #cookie = 'tiltyard_studio';

  constructor(allowHosts: readonly string[]) {
    this.#names = new Set(['localhost', ...allowHosts.map((name) => name.toLowerCase())]);
  }

  /** Names the cookie after the port: browsers send the cookies of a host to all of its ports. */
  listensOn(port: number): void {
    this.#cookie = `tiltyard_studio_${port}`;
  }

  /** A token for one entry only: for an address that others may see, such as the command line of a browser. */
  newTicket(): string {
    const ticket = newToken();
    this.#tickets.add(ticket);
    return ticket;
  }

  /** Throws unless a request names this machine. */
  assertHost({ host }: IncomingHttpHeaders): void {
    if (host === undefined || !this.#isOurs(host))
      throw new Refusal(
        421,
        'host_not_allowed',
        'the studio is not served under this host name',
        'Open the address that the command printed, or start it with --allow-host <name>.',
      );
  }

  /** Throws unless a request comes from the studio's own page, or from no page. */
  assertOwnPage({ host = '', origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
    const isForeign = origin !== undefined && origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase();
    if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new Refusal(403, 'origin_not_allowed', 'pages of other sites may not use the studio');
  }

  /** Throws unless a request has the cookie. */
  assertEntered({ cookie = '' }: IncomingHttpHeaders): void {
    const given = cookie
      .split(';')
      .map((each) => each.trim())
      .find((each) => each.startsWith(`${this.#cookie}=`));
    if (given !== undefined && isSame(given.slice(this.#cookie.length + 1), this.#pass)) return;
    throw new Refusal(
      401,
      'not_entered',
      'this browser has not entered the studio',
      'Open the address that the command printed: it has the token of this launch.',
    );
  }

  /** The cookie for who has the token; throws otherwise. */
  enter(token: string): string {
    const isTicket = this.#tickets.delete(token);
    if (!isTicket && !isSame(token, this.token))
      throw new Refusal(
        403,
        'wrong_token',
        'this token is not of this launch of the studio',
        'Open the address that the command printed last: each launch has its own.',
      );
    return `${this.#cookie}=${this.#pass}; Path=/; HttpOnly; SameSite=Strict`;
  }

  // Addresses are safe: a page that makes a name of its own point here is known by that name.
  #isOurs(host: string): boolean {
    const name = host.replace(/:\d+$/, '').toLowerCase();
    return this.#names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
