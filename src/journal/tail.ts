import { Buffer } from 'node:buffer';
import { closeSync, fdatasync, fsync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Change } from './change.ts';
import { bytesOfFrames, writeFrames } from './frames.ts';
import { type TailName, tailFile, unlessGone } from './tail-files.ts';

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

// More is needed for a few large results or states only, and is not kept for them.
const MOST_ROOM = 1024 * 1024;

/**
 * The files with the newest changes. To append to a file takes a fraction of what a transaction takes, so changes are written here first,
 * and told; the tables get them later, many at once. One file has what one transaction will have, and goes when the tables have it.
 */
export class Tail {
  readonly #folder: string;
  readonly #epoch: number;
  readonly #sync: 'lazy' | 'always';
  #number = 0;
  #file: number | undefined;
  #size = 0;
  /** For what is written next; used again and again. */
  #room = Buffer.alloc(0);

  /** `epoch` is that of the owner who writes. */
  constructor(folder: string, epoch: number, sync: 'lazy' | 'always') {
    this.#folder = folder;
    this.#epoch = epoch;
    this.#sync = sync;
  }

  /** Appends changes; resolves when they survive this process, or the machine. If that fails, none of them is there. */
  async write(changes: readonly Change[]): Promise<void> {
    const file = this.#file ?? (await this.#begin());
    const length = bytesOfFrames(changes);
    const bytes = this.#roomFor(length);
    writeFrames(bytes, changes);
    try {
      // Into the kernel's memory, which takes less time than to let another thread do it.
      for (let at = 0; at < length; ) at += writeSync(file, bytes, at, length - at, this.#size + at);
      if (this.#sync === 'always') await syncData(file);
    } catch (thrown) {
      // Otherwise the next file would follow one that is not whole.
      ftruncateSync(file, this.#size);
      throw thrown;
    }
    this.#size += length;
  }

  /** Ends the file: what is written from now on goes into another one. Returns the one that ended. */
  end(): TailName {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    return { epoch: this.#epoch, number: this.#number };
  }

  /** Removes a file that has ended, because the tables have what is in it. */
  async remove(ended: TailName): Promise<void> {
    await unlink(tailFile(this.#folder, ended)).catch(unlessGone);
  }

  #roomFor(length: number): Buffer {
    if (length > MOST_ROOM) return Buffer.allocUnsafeSlow(length);
    if (length > this.#room.length) this.#room = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_ROOM));
    return this.#room;
  }

  async #begin(): Promise<number> {
    const number = this.#number + 1;
    const file = openSync(tailFile(this.#folder, { epoch: this.#epoch, number }), 'w', 0o600);
    try {
      // What survives the machine must be found in its folder afterwards.
      if (this.#sync === 'always') await this.#syncFolder();
    } catch (thrown) {
      closeSync(file);
      throw thrown;
    }
    this.#number = number;
    this.#size = 0;
    this.#file = file;
    return file;
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder);
    try {
      await syncAll(folder.fd);
    } finally {
      await folder.close();
    }
  }
}
