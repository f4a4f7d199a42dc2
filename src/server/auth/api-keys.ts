import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DefinitionError } from '../../core/index.ts';
import { type Identity, isName } from './identity.ts';

/** An API key, who it stands for, and what it may do. */
export interface ApiKey {
  readonly key: string;
  /** Sessions belong to an identity; keys of the same identity share them. Default: one identity for each key. */
  readonly identity?: string;
  /** Left out: everything. */
  readonly scopes?: readonly string[];
}

/** Tells whose key a request carries; undefined if it has none that is known. */
export type FindByKey = (headers: IncomingHttpHeaders) => Identity | undefined;

// What a header can carry: visible ASCII, and spaces only inside.
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Makes the keys of a server ready to be looked for. */
export function keyFinder(apiKeys: readonly (string | ApiKey)[]): FindByKey {
  const known = apiKeys.map(toKnownKey);
  assertDifferent(known);
  // Every key is compared, so that the time tells nothing about which one was nearly right.
  const find = (given: Buffer) => known.filter(({ digest }) => timingSafeEqual(given, digest))[0]?.identity;
  return (headers) => {
    const given = [headers['x-api-key'], headers['oxp-api-key']].filter((key) => typeof key === 'string');
    return given.map((key) => find(digestOf(key))).find((identity) => identity !== undefined);
  };
}

interface KnownKey {
  readonly digest: Buffer;
  readonly identity: Identity;
}

// Messages tell a key by its place: they may be printed.
function toKnownKey(entry: string | ApiKey, index: number): KnownKey {
  const { key, identity, scopes } = typeof entry === 'string' ? { key: entry } : entry;
  if (typeof key !== 'string' || !SENDABLE.test(key)) {
    throw new DefinitionError(
      `API key ${index + 1} must be of visible ASCII characters, without spaces around it: no header carries others`,
    );
  }
  const digest = digestOf(key);
  // A name for logs and sessions that does not give the key away.
  const id = identity ?? `key-${digest.toString('hex').slice(0, 16)}`;
  if (!isName(id)) {
    throw new DefinitionError(`the identity of API key ${index + 1} must be text without control characters`);
  }
  return { digest, identity: { id, scopes: scopes === undefined ? undefined : new Set(scopes) } };
}

// Which of two meanings a key had would depend on their order.
function assertDifferent(known: readonly KnownKey[]): void {
  for (const [index, { digest }] of known.entries()) {
    const first = known.findIndex((other) => other.digest.equals(digest));
    if (first < index) throw new DefinitionError(`API keys ${first + 1} and ${index + 1} are the same. Leave one out`);
  }
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
