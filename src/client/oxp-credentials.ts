import { toBase64Url } from '../protocol/index.ts';
import { keyFromEnvironment } from './api-key.ts';
import { ClientError } from './errors.ts';

/** How to sign tokens for a server that shares a secret with this client. */
export interface JwtSigning {
  /** At least 32 bytes, as servers want it. */
  readonly secret: string | Uint8Array;
  /** Who is calling (`sub`). */
  readonly subject?: string | undefined;
  /** Whom the token is for (`aud`). */
  readonly audience?: string | readonly string[] | undefined;
  /** What the caller may do (`scope`). */
  readonly scope?: string | readonly string[] | undefined;
  /** How long a token is valid. Default: 300 s; servers may refuse more than 15 minutes. */
  readonly lifetimeSeconds?: number | undefined;
}

/** Who is calling. */
export interface OxpCredentials {
  /** Sent as OXP-API-Key. Default: the environment variable TILTYARD_API_KEY, or ORS_API_KEY; '' sends none. */
  readonly apiKey?: string | undefined;
  /** Signs short-lived tokens with a secret that the server shares; preferred where there is an API key, too. */
  readonly jwt?: JwtSigning | undefined;
}

/** Gives the headers that say who is calling. */
export function credentialHeaders({
  apiKey = keyFromEnvironment(),
  jwt,
}: OxpCredentials): () => Promise<Record<string, string>> {
  if (jwt === undefined) return async () => (apiKey ? { 'OXP-API-Key': apiKey } : {});
  const token = tokenSource(jwt);
  return async () => ({ Authorization: `Bearer ${await token()}` });
}

// A token must not expire between its signing and its check.
const MARGIN_SECONDS = 30;

/** Gives a valid token whenever asked: signed with HS256, and kept until shortly before it expires. */
function tokenSource(signing: JwtSigning): () => Promise<string> {
  const { secret, lifetimeSeconds = 300 } = signing;
  if (secret.length === 0) throw new ClientError('the JWT secret is empty');
  if (!(lifetimeSeconds >= 1)) throw new RangeError(`lifetimeSeconds must be at least 1, not ${lifetimeSeconds}`);
  const lifetime = Math.floor(lifetimeSeconds);
  const margin = Math.min(MARGIN_SECONDS, lifetime / 2);
  let key: Promise<CryptoKey> | undefined;
  let kept: { readonly token: Promise<string>; readonly until: number } | undefined;
  return () => {
    const now = Date.now() / 1000;
    if (kept === undefined || now >= kept.until) {
      key ??= importKey(secret);
      const token = sign(key, toClaims(signing, Math.floor(now), lifetime));
      kept = { token, until: now + lifetime - margin };
    }
    return kept.token;
  };
}

function toClaims({ subject, audience, scope }: JwtSigning, iat: number, lifetime: number): object {
  return {
    iat,
    exp: iat + lifetime,
    ...(subject === undefined ? {} : { sub: subject }),
    ...(audience === undefined ? {} : { aud: audience }),
    ...(scope === undefined ? {} : { scope: [scope].flat().join(' ') }),
  };
}

async function importKey(secret: string | Uint8Array): Promise<CryptoKey> {
  if (globalThis.crypto?.subtle === undefined)
    throw new ClientError('cannot sign tokens here: a web page needs https for that');
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

async function sign(imported: Promise<CryptoKey>, claims: object): Promise<string> {
  const key = await imported;
  const encode = (text: string) => new TextEncoder().encode(text);
  const part = (value: object) => toBase64Url(encode(JSON.stringify(value)));
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = await crypto.subtle.sign('HMAC', key, encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}
