import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommonValues } from './common-values.ts';
import { RecordError } from './record-error.ts';

/** What stands in a record for something large, which is in the file `blobs/<$blob>`. */
export interface BlobRef {
  /** The SHA-256 of the file, in hex; also its name. */
  readonly $blob: string;
  /** What is in the file: the text itself, the bytes of a base64 text, or JSON. */
  readonly as: 'text' | 'base64' | 'json';
  readonly bytes: number;
  /** What stands before a base64 text: `data:image/png;base64,`. */
  readonly prefix?: string;
}

/** The mode of folders of records: episodes may be anybody's, so nobody else on the machine reads them. */
export const PRIVATE_FOLDER = 0o700;

/** The mode of their files. */
export const PRIVATE_FILE = 0o600;

const MOST_NAMES = 10_000;

/** A folder of large things, each under its hash, and so only once. */
export class BlobFolder {
  readonly folder: string;
  /** How many bytes were written that were not there. */
  written = 0;
  /** What is in it and belongs to many records. */
  readonly common: CommonValues<BlobRef> = new CommonValues();
  /** Names of blobs that are there, so that the disk is not asked again for each of them. */
  readonly #names = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes bytes unless they are there; returns their hash. A file that can be seen is complete. */
  put(bytes: Uint8Array): string {
    const name = createHash('sha256').update(bytes).digest('hex');
    if (this.#names.has(name)) return name;
    const file = join(this.folder, name);
    if (sizeOf(file) !== bytes.length) this.#write(file, bytes);
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    this.#names.add(name);
    return name;
  }

  #write(file: string, bytes: Uint8Array): void {
    mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(draft, bytes, { mode: PRIVATE_FILE, flag: 'wx' });
      renameSync(draft, file);
    } catch (thrown) {
      rmSync(draft, { force: true });
      throw thrown;
    }
    this.written += bytes.length;
  }
}

const NAME = /^[0-9a-f]{64}$/;

/** Reads what a reference stands for, from the first of these folders that has it. */
export function readBlob({ $blob: name, bytes }: Pick<BlobRef, '$blob' | 'bytes'>, folders: readonly string[]): Buffer {
  const [first = ''] = folders;
  // Names come from a file that anybody may have written.
  if (!NAME.test(name)) throw new RecordError(first, `cannot have a blob named ${JSON.stringify(name)}`);
  const folder = folders.find((each) => sizeOf(join(each, name)) !== undefined);
  if (folder === undefined)
    throw new RecordError(
      join(first, name),
      'is missing: copy the folder blobs/ together with the record, or read the record without blobs',
    );
  const content = readFileSync(join(folder, name));
  if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== name)
    throw new RecordError(join(folder, name), 'is damaged: its content does not have the hash that is its name');
  return content;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
