import { Buffer } from 'node:buffer';

const KEY_BYTES = 32;

/**
 * The keys in a text such as that of TILTYARD_JOURNAL_KEY: each is 32 bytes as hex or base64, and commas separate them. The first
 * encrypts, and all decrypt. Messages do not quote the text, because it is a secret.
 */
export function parseJournalKeys(text: string): Buffer[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length === 1 && parts[0] === '') throw new InvalidJournalKey(`the journal's key is empty. ${HOW_TO}`);
  return parts.map((part, index) =>
    toKey(part, parts.length === 1 ? "the journal's key" : `key ${index + 1} of the journal`),
  );
}

/** A text that is no key. */
export class InvalidJournalKey extends Error {
  override name = 'InvalidJournalKey';
}

const HOW_TO = 'Make one with: openssl rand -hex 32';
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[0-9a-z+/_-]+={0,2}$/i;

function toKey(text: string, name: string): Buffer {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  if (text === '') throw new InvalidJournalKey(`${name} is empty. ${HOW_TO}`);
  if (!BASE64.test(text)) throw new InvalidJournalKey(`${name} is neither hex nor base64. ${HOW_TO}`);
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new InvalidJournalKey(`${name} has ${key.length} bytes as base64; it must have ${KEY_BYTES}. ${HOW_TO}`);
}
