import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DefinitionError } from '../../core/index.ts';
import { anything, assertOptions, names, type OptionRules } from '../options.ts';
import { type Identity, isName } from './identity.ts';

/** An API key, who it stands for, and what it may do. */
export interface ApiKey {
  readonly key: string;
  /** Sessions belong to an identity; keys of the same identity share them. Default: one identity for each key. */
  readonly identity?: string;
  /** Left out: everything. */
  readonly scopes?: readonly string[];
}

const KEY_OPTIONS: OptionRules<ApiKey> = {
  // Checked below, without a word of them.
  key: anything,
  identity: anything,
  scopes: names,
};

/** Tells whose key a request carries; undefined if it has none that is known. */
export type FindByKey = (headers: IncomingHttpHeaders) => Identity | undefined;

// What a header can carry: visible ASCII, and spaces only inside.
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Makes the keys of a server ready to be looked for. A map looks at the text of a key only where its hash is the same, which
 * it makes with a secret of this process: how long it takes tells nothing about a key that was nearly right. A digest of
 * each key that comes would tell no less, and cost a tenth of a call.
 */
export function keyFinder(apiKeys: readonly (string | ApiKey)[]): FindByKey {
  const known = new Map<string, Identity>();
  for (const [index, entry] of apiKeys.entries()) {
    const { key, identity } = readKey(entry, index);
    // Which of two meanings a key had would depend on their order.
    if (known.has(key)) {
      const first = [...known.keys()].indexOf(key);
      throw new DefinitionError(`API keys ${first + 1} and ${index + 1} are the same. Leave one out`);
    }
    known.set(key, identity);
  }
  const find = (given: string | string[] | undefined) => (typeof given === 'string' ? known.get(given) : undefined);
  return (headers) => find(headers['x-api-key']) ?? find(headers['oxp-api-key']);
}

// Messages tell a key by its place: they may be printed.
function readKey(entry: string | ApiKey, index: number): { key: string; identity: Identity } {
  const given: ApiKey = typeof entry === 'string' ? { key: entry } : entry;
  assertOptions(given, KEY_OPTIONS, `API key ${index + 1}`);
  const { key, identity, scopes } = given;
  if (typeof key !== 'string' || !SENDABLE.test(key)) {
    throw new DefinitionError(
      `API key ${index + 1} must consist of visible ASCII characters, without surrounding spaces: a header cannot carry anything else`,
    );
  }
  // A name for logs and sessions that does not give the key away, and is the same after a restart.
  const id = identity ?? `key-${hash('sha256', key, 'hex').slice(0, 16)}`;
  if (!isName(id)) {
    throw new DefinitionError(`the identity of API key ${index + 1} must be text without control characters`);
  }
  return { key, identity: { id, scopes: scopes === undefined ? undefined : new Set(scopes) } };
}
