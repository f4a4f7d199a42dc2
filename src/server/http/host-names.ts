import { BlockList, isIP } from 'node:net';
import { listOf, must, type Rule } from '../../core/index.ts';

/** What `allowHosts` takes. */
export const hostNames: Rule = listOf(
  must(
    "a host name or address without scheme and port: 'envs.internal', '*.internal' for all names below it, or '*' for any",
    (value) => typeof value === 'string' && (value === ANY || isIP(value) !== 0 || NAME.test(value)),
  ),
  "['envs.internal']",
);

const ANY = '*';
const NAME = /^(\*\.)?[^\s:/*@?#[\]\\]+$/;

// Clients name few hosts; more than this are somebody's attempts, and are looked at anew each time.
const MAX_REMEMBERED = 100;

/**
 * The names under which a server without auth is served. A web page can have any other name resolve to this machine (DNS
 * rebinding), and the browser then takes the server for the page's own. An address cannot be made to mean another machine,
 * so a server that others reach is served under all of them.
 */
export class HostNames {
  readonly #isLocal: () => boolean;
  readonly #names = new Set<string>();
  /** Each begins with a dot. */
  readonly #endings = ['.localhost'];
  #takesAny = false;
  /** Headers that have passed, as they came. */
  readonly #passed = new Set<string>();

  /** `isLocal` tells whether the server listens on this machine only. */
  constructor(allowed: readonly string[], isLocal: () => boolean) {
    this.#isLocal = isLocal;
    this.add('localhost');
    for (const name of allowed) this.add(name);
  }

  /** Adds a name, or all below one. */
  add(name: string): void {
    if (name === ANY) this.#takesAny = true;
    else if (name.startsWith('*.')) this.#endings.push(name.slice(1).toLowerCase());
    else this.#names.add(toName(isIP(name) === 6 ? `[${name}]` : name));
  }

  /** Whether a Host header names this server. */
  has(header: string): boolean {
    if (this.#passed.has(header)) return true;
    const passes = this.#takesAny || this.#hasName(toName(header));
    if (passes && this.#passed.size < MAX_REMEMBERED) this.#passed.add(header);
    return passes;
  }

  #hasName(name: string): boolean {
    if (this.#names.has(name) || this.#endings.some((ending) => name.endsWith(ending))) return true;
    return isIP(name) !== 0 && (!this.#isLocal() || isLoopback(name));
  }
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an address is of this machine only. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** The name in a Host header: without port, brackets and the dot that may end it; empty if it is none. */
function toName(header: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header.toLowerCase()) ?? [];
  return address ?? name.replace(/\.$/, '');
}
