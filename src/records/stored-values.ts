import { redactValue, redactWhole, type Secrets } from '../core/index.ts';
import { isObject, type JsonValue } from '../protocol/index.ts';
import { type BlobFolder, type BlobRef, readBlob } from './blobs.ts';

/** A longer text gets a file of its own. */
export const LARGE_CHARACTERS = 16_384;

/** How values are written into a record. */
export interface Storing {
  readonly blobs: BlobFolder;
  /** Whether other records have their blobs there, too. */
  readonly isShared: boolean;
  /** What must not be in any file. */
  readonly secrets: Secrets;
}

/** Any JSON value as it stands in a record: without secrets, and with references for what is large. */
export function toStored(value: unknown, storing: Storing): unknown {
  return store(withoutSecrets(value, storing.secrets), storing);
}

/** The same of a text. */
export function toStoredText(text: string, storing: Storing): string | BlobRef {
  return storeText(cleanText(text, storing.secrets), storing);
}

/** The same of a value that many records have in common: where they share a folder it gets a file of its own, whatever its size. */
export function toStoredCommon(value: object, storing: Storing): unknown {
  // A record that stands alone can be copied as one file.
  if (!storing.isShared) return toStored(value, storing);
  const secrets = hasSecrets(storing.secrets) ? storing.secrets : NO_SECRETS;
  return storing.blobs.common.find(value, secrets, () => putJson(withoutSecrets(value, secrets), storing));
}

// One for all records that have none, by which common values are found again.
const NO_SECRETS: Secrets = {};

/** The same of base64: its bytes get a file of their own, whatever their number. */
export function toStoredBytes(text: string, storing: Storing): string | BlobRef {
  const cleaned = cleanText(text, storing.secrets);
  return putBytes(cleaned, storing) ?? storeText(cleaned, storing);
}

/** A text without secrets. */
export function cleanText(text: string, secrets: Secrets): string {
  return hasSecrets(secrets) ? redactWhole(text, secrets) : text;
}

/** The same value without secrets, as a record would show it. */
export function withoutSecrets<Value>(value: Value, secrets: Secrets): Value {
  return hasSecrets(secrets) ? (redactValue(value, secrets) as Value) : value;
}

/** The value that was stored; `folders` may have its blobs. */
export function fromStored(value: unknown, folders: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => fromStored(each, folders));
  if (!isObject(value)) return value;
  return isRef(value) ? load(value, folders) : mapEntries(value, (key, each) => [key, fromStored(each, folders)]);
}

export function hasSecrets(secrets: Secrets): boolean {
  for (const _ in secrets) return true;
  return false;
}

function isRef(value: Record<string, unknown>): value is Record<string, unknown> & BlobRef {
  return typeof value.$blob === 'string' && typeof value.bytes === 'number';
}

function load(ref: BlobRef, folders: readonly string[]): JsonValue {
  const content = readBlob(ref, folders);
  if (ref.as === 'json') return JSON.parse(content.toString()) as JsonValue;
  return ref.as === 'base64' ? `${ref.prefix ?? ''}${content.toString('base64')}` : content.toString();
}

function store(value: unknown, storing: Storing): unknown {
  if (typeof value === 'string') return storeText(value, storing);
  if (Array.isArray(value)) return value.map((each) => store(each, storing));
  if (!isObject(value)) return value;
  // Somebody's own object that looks like a reference is told from one by being in a file itself.
  if (Object.hasOwn(value, '$blob')) return putJson(value, storing);
  return mapEntries(value, (key, each) => [key, store(each, storing)]);
}

function storeText(text: string, storing: Storing): string | BlobRef {
  if (text.length < LARGE_CHARACTERS) return text;
  const [prefix = ''] = /^data:[^,]{0,200};base64,/.exec(text) ?? [];
  const asBytes = putBytes(text, storing, prefix);
  if (asBytes !== undefined) return asBytes;
  // Half a surrogate pair has no bytes in UTF-8; JSON writes it as an escape.
  return text.isWellFormed() ? put(Buffer.from(text), 'text', storing) : putJson(text, storing);
}

/** Undefined if the text is not exactly what its bytes are in base64. */
function putBytes(text: string, storing: Storing, prefix = ''): BlobRef | undefined {
  const encoded = text.slice(prefix.length);
  if (encoded === '' || encoded.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const ref = put(bytes, 'base64', storing);
  return prefix === '' ? ref : { ...ref, prefix };
}

function putJson(value: unknown, storing: Storing): BlobRef {
  return put(Buffer.from(JSON.stringify(value)), 'json', storing);
}

function put(bytes: Buffer, as: BlobRef['as'], { blobs }: Storing): BlobRef {
  return { $blob: blobs.put(bytes), as, bytes: bytes.length };
}

function mapEntries(
  value: Record<string, unknown>,
  map: (key: string, each: unknown) => readonly [string, unknown],
): Record<string, unknown> {
  // Not by assignment: a key may be __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => map(key, each)));
}
