import { createHash } from 'node:crypto';
import { toCanonical } from '../../core/index.ts';
import type { JsonObject, JsonValue } from '../../protocol/index.ts';

// Shorter than a result, and cheaper than a hash.
const KEPT_AS_IT_IS = 256;

const HASHED = '#';

/** What is asked of which tool and for whom. Not with which secrets: tokens are renewed between two attempts. */
export interface Asked {
  readonly toolId: string;
  readonly userId: string | undefined;
  readonly input: JsonObject;
}

/**
 * What is kept of a call to tell a repeat of it from an id that is used twice. As it came, since most calls are never
 * repeated: only a repeat pays for an order of keys that makes no difference. Long ones as a hash, since they are kept for
 * as long as the result is.
 */
export function fingerprintOf({ toolId, userId, input }: Asked): string {
  const asked = [toolId, userId ?? null, input];
  const text = JSON.stringify(asked);
  return text.length <= KEPT_AS_IT_IS ? text : hashOf(asked);
}

/** A fingerprint as a hash, also if it is short: for where nobody may read what was asked. */
export function toDigest(fingerprint: string): string {
  return fingerprint.startsWith(HASHED) ? fingerprint : hashOf(JSON.parse(fingerprint));
}

/** Whether two fingerprints are of the same request. */
export function isSameRequest(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith(HASHED) && other.startsWith(HASHED)) return false;
  return canonical(one) === canonical(other);
}

function canonical(fingerprint: string): string {
  return fingerprint.startsWith(HASHED) ? fingerprint : toCanonical(JSON.parse(fingerprint));
}

function hashOf(asked: JsonValue): string {
  return HASHED + createHash('sha256').update(toCanonical(asked)).digest('base64');
}
