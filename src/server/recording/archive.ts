import { randomBytes } from 'node:crypto';
import { type Dirent, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BlobFolder, PRIVATE_FOLDER } from '../../records/index.ts';
import { isSegmentName, LEFT, OtherWriters, thisWriter, touch } from './writers.ts';

/** A folder of records that began about the same time, with their blobs. */
export interface Segment {
  readonly path: string;
  readonly blobs: BlobFolder;
  /** What its records take, without blobs written by this process. */
  bytes: number;
  /** How many records of it are being written. */
  open: number;
  files: number;
}

// A new one begins when one of these is reached: deleting the oldest must not take too much, nor listing one too long.
const LARGEST_SHARE = 16;
const MOST_BYTES = 64 * 2 ** 20;
const MOST_FILES = 10_000;

// What a file takes on most disks, however little is in it.
const BLOCK_BYTES = 4096;

/** How much a file of this size takes. */
export function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** A folder of records in segments; the oldest make room for new ones. */
export class Archive {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** From the oldest to the current one. */
  readonly #segments: Segment[];
  readonly #others = new OtherWriters();
  #current: Segment | undefined;
  /** How many segments were deleted. */
  deleted = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const names = readdirSync(folder).filter(isSegmentName);
    this.#segments = names.sort().flatMap((name) => measure(join(folder, name)) ?? []);
    this.#watch();
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + sizeOf(segment), 0);
  }

  /** Where a new record goes. */
  place(): Segment {
    const current = this.#current;
    if (current !== undefined && sizeOf(current) < this.#segmentBytes && current.files < MOST_FILES) return current;
    return this.#begin();
  }

  /** The segment that has a record of this name, from the newest on. */
  find(file: string): Segment | undefined {
    return this.#segments.findLast(({ path }) => existsSync(join(path, file)));
  }

  /** Shows servers elsewhere, which cannot see this process, that it writes to its segments, and looks whether they write to theirs. */
  beat(): void {
    const now = new Date();
    for (const segment of this.#segments) if (segment.open > 0 || segment === this.#current) touch(segment.path, now);
    this.#watch();
  }

  /** Shows them that it does not any more. */
  leave(): void {
    for (const { path } of this.#segments) if (!this.#others.mayWrite(path)) touch(path, new Date(LEFT));
  }

  /** Deletes the oldest segments until all the rest is small enough; false if it is not, since records of all of them are being written. */
  makeRoom(): boolean {
    while (this.bytes > this.#maxBytes) {
      const oldest = this.#segments.findIndex((each) => this.#isFree(each));
      if (oldest < 0) return false;
      const [{ path }] = this.#segments.splice(oldest, 1) as [Segment];
      rmSync(path, { recursive: true, force: true });
      this.#others.forget(path);
      this.deleted += 1;
    }
    return true;
  }

  /** Whether nobody writes there. */
  #isFree(segment: Segment): boolean {
    return segment.open === 0 && segment !== this.#current && !this.#others.mayWrite(segment.path);
  }

  #watch(): void {
    for (const { path } of this.#segments) this.#others.watch(path);
  }

  get #segmentBytes(): number {
    return Math.min(MOST_BYTES, this.#maxBytes / LARGEST_SHARE);
  }

  #begin(): Segment {
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    const path = join(this.#folder, `${time}-${thisWriter()}-${randomBytes(2).toString('hex')}`);
    mkdirSync(path, { mode: PRIVATE_FOLDER });
    this.#current = { path, blobs: blobsOf(path), bytes: 0, open: 0, files: 0 };
    this.#segments.push(this.#current);
    return this.#current;
  }
}

function sizeOf({ bytes, blobs }: Segment): number {
  return bytes + blobs.written;
}

function blobsOf(path: string): BlobFolder {
  return new BlobFolder(join(path, 'blobs'));
}

/** Undefined if another server deletes it meanwhile. */
function measure(path: string): Segment | undefined {
  let [bytes, files] = [0, 0];
  for (const entry of list(path) ?? []) {
    if (!entry.isFile()) continue;
    // Nothing to count if it was deleted, or was the draft of a blob.
    const size = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size;
    if (size === undefined) continue;
    bytes += onDisk(size);
    files += 1;
  }
  return existsSync(path) ? { path, blobs: blobsOf(path), bytes, files, open: 0 } : undefined;
}

/** All that is in a folder; undefined if it, or a folder in it, is deleted meanwhile. */
function list(path: string): Dirent[] | undefined {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}
