import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { isObject } from '../../protocol/index.ts';
import type { SessionRef } from '../../sessions/index.ts';

/** An episode, as its address names it. */
export interface NamedEpisode extends SessionRef {
  /** Tells it from others that have the same session id later. */
  readonly seed: number;
}

const [CIPHER, IV_BYTES, TAG_BYTES] = ['aes-256-gcm', 12, 16] as const;

/**
 * Addresses of episodes that nobody can guess: what they name, encrypted and signed. Nothing has to be kept, so that all servers
 * with the same key know them, also after a restart.
 */
export class Handles {
  readonly #key: Buffer;

  constructor(key: string | undefined) {
    this.#key = key === undefined ? randomBytes(32) : hash('sha256', `tiltyard mcp ${key}`, 'buffer');
  }

  /** A new address of an episode. */
  seal({ identity, sid, seed }: NamedEpisode): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const sealed = cipher.update(JSON.stringify({ identity, sid, seed }), 'utf8');
    return Buffer.concat([iv, sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** What an address names; undefined if it is none of ours. */
  open(handle: string): NamedEpisode | undefined {
    const bytes = Buffer.from(handle, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      const named: unknown = JSON.parse(text);
      return isObject(named) ? (named as unknown as NamedEpisode) : undefined;
    } catch {
      return undefined; // Made up, or sealed with another key.
    }
  }
}
