/** Where NATS is, and who connects. */
export interface NatsAddress {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Whether the connection must be encrypted. */
  readonly isSecure: boolean;
  /** Without what is secret in it. */
  readonly shown: string;
}

/**
 * Reads an address such as `nats://user:password@one:4222,two:4222`. Several servers are separated by commas; `tls://` wants an
 * encrypted connection. A name without a password is a token.
 */
export function parseNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => toUrl(part.trim()));
  const [first] = urls as [URL, ...URL[]];
  const named = urls.find(({ username }) => username !== '');
  const servers = urls.map(({ host }) => host);
  const isSecure = first.protocol === 'tls:';
  return { servers, isSecure, shown: `${first.protocol}//${servers.join(',')}`, ...credentialsOf(named) };
}

/** An address that cannot be read. The message does not quote it, because a password may be in it. */
export class InvalidNatsAddress extends Error {
  override name = 'InvalidNatsAddress';
}

const DEFAULT_PORT = '4222';

function toUrl(text: string): URL {
  const full = /^[a-z]+:\/\//.test(text) ? text : `nats://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || url.hostname === '' || !(url.protocol === 'nats:' || url.protocol === 'tls:'))
    throw new InvalidNatsAddress(
      'the address of NATS must look like nats://host:4222, or tls://user:password@host:4222',
    );
  if (url.port === '') url.port = DEFAULT_PORT;
  return url;
}

function credentialsOf(url: URL | undefined): Pick<NatsAddress, 'user' | 'pass' | 'token'> {
  if (url === undefined) return {};
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return pass === '' ? { token: user } : { user, pass };
}
