import { closeSync, fdatasync, fsync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Change } from './change.ts';
import { type Frame, mostBytesOfFrame, writeFrame } from './frames.ts';
import { type TailName, tailFile, unlessGone } from './tail-files.ts';
import { TailMemory } from './tail-memory.ts';

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

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
  readonly #memory = new TailMemory();

  /** `epoch` is that of the owner who writes. */
  constructor(folder: string, epoch: number, sync: 'lazy' | 'always') {
    this.#folder = folder;
    this.#epoch = epoch;
    this.#sync = sync;
  }

  /** Appends changes; resolves when they survive this process, or the machine, with where they stand. If that fails, none of them is there. */
  async write(changes: readonly Change[]): Promise<Frame[]> {
    const file = this.#file ?? (await this.#begin());
    const most = changes.reduce((sum, change) => sum + mostBytesOfFrame(change), 0);
    const { bytes, at: start } = this.#memory.roomFor(most);
    let end = start;
    const frames = changes.map((change) => {
      const frame = { bytes, at: end };
      end = writeFrame(bytes, end, change);
      return frame;
    });
    try {
      // Into the kernel's memory, which takes less time than to let another thread do it.
      for (let at = start; at < end; ) at += writeSync(file, bytes, at, end - at, this.#size + at - start);
      if (this.#sync === 'always') await syncData(file);
    } catch (thrown) {
      // Otherwise the next file would follow one that is not whole.
      ftruncateSync(file, this.#size);
      throw thrown;
    }
    this.#memory.useUpTo(end);
    this.#size += end - start;
    return frames;
  }

  /** Ends the file: what is written from now on goes into another one. Returns the one that ended. */
  end(): TailName {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#memory.endTail();
    return { epoch: this.#epoch, number: this.#number };
  }

  /** Uses the memory of the file that ended for others: the tables have what is in it. */
  freeEnded(): void {
    this.#memory.freeEnded();
  }

  /** Removes a file that has ended, because the tables have what is in it. */
  async remove(ended: TailName): Promise<void> {
    await unlink(tailFile(this.#folder, ended)).catch(unlessGone);
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
