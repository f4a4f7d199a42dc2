import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hash, randomFillSync } from 'node:crypto';
import { placeOf } from './places.ts';

/**
 * Turns texts into the bytes that are kept, and back. With keys they are sealed with AES-256-GCM: the first key seals, all open. The
 * place where the bytes belong is authenticated, so that they mean nothing anywhere else.
 */
export class Sealer {
  readonly #keys = new Map<string, Buffer>();
  readonly #id: Buffer | undefined;
  readonly #key: Buffer | undefined;

  constructor(keys: readonly Buffer[]) {
    for (const key of keys) this.#keys.set(idOf(key).toString('hex'), key);
    [this.#key] = keys;
    this.#id = this.#key && idOf(this.#key);
  }

  /** The id of the key that seals, if there is one. */
  get keyId(): string | undefined {
    return this.#id?.toString('hex');
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** The same as `seal`, but a text that is not encrypted is left as it is: it becomes bytes where it is written (`writeBody`). */
  toBody(text: string, hashed: Uint8Array, seq?: number): Body {
    return this.#key === undefined ? text : this.seal(text, hashed, seq);
  }

  /** Seals what belongs to a place: that of a key by its hash, or of its record with that number. */
  seal(text: string, hashed: Uint8Array, seq?: number): Buffer {
    if (this.#key === undefined || this.#id === undefined) return plain(text);
    const place = seq === undefined ? hashed : placeOf(hashed, seq);
    const nonce = nextNonce();
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(place);
    const body = cipher.update(text, 'utf8');
    // All of GCM's output is there after update().
    cipher.final();
    return Buffer.concat([SEALED_HEAD, this.#id, nonce, cipher.getAuthTag(), body]);
  }

  open(bytes: Buffer, place: Uint8Array): string {
    const keyId = keyIdOf(bytes);
    if (keyId === undefined) return bytes.toString('utf8', 1);
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Unsealable(`it is sealed with the key ${keyId}, which was not given`);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(NONCE_AT, TAG_AT)).setAAD(place);
    decipher.setAuthTag(bytes.subarray(TAG_AT, BODY_AT));
    try {
      return decipher.update(bytes.subarray(BODY_AT), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new Unsealable('its bytes were changed, or moved from elsewhere', { cause });
    }
  }
}

/** What is kept, as bytes, or as a text that is not encrypted and shall become bytes. */
export type Body = Buffer | string;

// To count the bytes of a short text takes longer than to leave some room.
const SHORT = 2_000;
const MOST_PER_CHARACTER = 3;

/** How many bytes a body takes at most. */
export function mostBytesOf(body: Body): number {
  if (typeof body !== 'string') return body.length;
  return 1 + (body.length < SHORT ? MOST_PER_CHARACTER * body.length : Buffer.byteLength(body));
}

/** Writes a body; returns where it ends. */
export function writeBody(bytes: Buffer, at: number, body: Body): number {
  if (typeof body !== 'string') {
    bytes.set(body, at);
    return at + body.length;
  }
  bytes[at] = PLAIN;
  return at + 1 + bytes.write(body, at + 1);
}

function plain(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text));
  writeBody(bytes, 0, text);
  return bytes;
}

/** Bytes that cannot be opened. */
class Unsealable extends Error {
  override name = 'Unsealable';
}

/** The id of the key with which bytes are sealed, or `undefined` if they are plain. */
export function keyIdOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === PLAIN) return undefined;
  if (bytes[0] !== SEALED || bytes.length < BODY_AT) throw new Unsealable('it has an unknown form');
  return Buffer.from(bytes.buffer, bytes.byteOffset + 1, ID_BYTES).toString('hex');
}

const PLAIN = 0;
const SEALED = 1;
const SEALED_HEAD = Buffer.of(SEALED);
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + ID_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const BODY_AT = TAG_AT + TAG_BYTES;

function idOf(key: Buffer): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, ID_BYTES);
}

// Random bytes are cheap by the page, and dear by the dozen.
const nonces = Buffer.alloc(NONCE_BYTES * 512);
let nextAt = nonces.length;

function nextNonce(): Buffer {
  if (nextAt === nonces.length) {
    randomFillSync(nonces);
    nextAt = 0;
  }
  const nonce = Buffer.from(nonces.subarray(nextAt, nextAt + NONCE_BYTES));
  nextAt += NONCE_BYTES;
  return nonce;
}
