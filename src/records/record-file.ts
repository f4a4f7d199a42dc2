import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Appender } from './appender.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from './blobs.ts';
import { LineSplitter } from './lines.ts';
import { isTornStart, parseEvent, type StoredEvent } from './parse-event.ts';
import { RecordError } from './record-error.ts';

/**
 * A file of lines that only grows. A line is there as a whole or not at all: what a crash or a full disk has left of one is cut off
 * before the next is written.
 */
export class RecordFile implements Disposable {
  readonly path: string;
  #fd: number | undefined;
  /** Where its last whole line ends. */
  #end: number;
  /** Whether something may stand behind it. */
  #isTorn: boolean;

  private constructor(
    path: string,
    fd: number | undefined,
    { end, isTorn }: { readonly end: number; readonly isTorn: boolean },
  ) {
    this.path = path;
    this.#fd = fd;
    this.#end = end;
    this.#isTorn = isTorn;
  }

  /** Makes a file; refused if it exists. */
  static create(path: string): RecordFile {
    return new RecordFile(path, openNew(path), { end: 0, isTorn: false });
  }

  /** The same when it is first written to, by `writeLater`. Its folder must be there. */
  static createLater(path: string): RecordFile {
    return new RecordFile(path, undefined, { end: 0, isTorn: false });
  }

  /** Goes on with a file that exists; `onEvent` gets the events that are in it. Refused if it is not a record. */
  static resume(path: string, onEvent: (event: StoredEvent) => void): RecordFile {
    const fd = openSync(path, 'a+', PRIVATE_FILE);
    try {
      const end = readEvents(fd, path, onEvent);
      return new RecordFile(path, fd, { end, isTorn: fstatSync(fd).size > end });
    } catch (thrown) {
      closeSync(fd);
      throw thrown;
    }
  }

  get size(): number {
    return this.#end;
  }

  /** Writes whole lines; if the disk does not take them, it throws, and none of them is there. */
  write(lines: Buffer): void {
    this.#fd ??= openSync(this.path, 'a+', PRIVATE_FILE);
    if (this.#isTorn) ftruncateSync(this.#fd, this.#end);
    this.#isTorn = true;
    for (let at = 0; at < lines.length; ) at += writeSync(this.#fd, lines, at);
    this.#isTorn = false;
    this.#end += lines.length;
  }

  /** The same while others go on; one at a time. If the disk does not take the lines, a part of them may be there, and nothing may follow. */
  async writeLater(lines: Buffer, appender: Appender): Promise<void> {
    this.close();
    await appender.append(this.path, lines, this.#end === 0 ? 'new' : 'known');
    this.#end += lines.length;
  }

  /** Closes the file until it is written to again: there may be more records than a process may have open. */
  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function openNew(path: string): number {
  const open = () => openSync(path, 'ax+', PRIVATE_FILE);
  try {
    return open();
  } catch (thrown) {
    // Asked only then: most records go where others are.
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    return open();
  }
}

const CHUNK_BYTES = 65_536;

/** Tells of each event of a file; returns where the last of them ends. Only the last line may be torn. */
function readEvents(fd: number, path: string, onEvent: (event: StoredEvent) => void): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const splitter = new LineSplitter();
  let [count, end, isTorn] = [0, 0, false];
  const assertWhole = () => {
    if (isTorn) throw new RecordError(path, `is not a record, or is damaged: line ${count + 1} is not an event`);
  };
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    for (const line of splitter.push(chunk.subarray(0, read))) {
      assertWhole();
      const event = parseEvent(line);
      isTorn = event === undefined;
      if (event === undefined) continue;
      onEvent(event);
      count += 1;
      end += line.length + 1;
    }
  }
  const { rest } = splitter;
  if (rest.length > 0) assertWhole();
  if (count === 0) {
    isTorn ||= !isTornStart(rest);
    assertWhole();
  }
  return end;
}
