import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
const LINE_BREAK = 10;

/** One line of a file, and where it is. */
export interface PlacedLine {
  readonly text: string;
  readonly at: number;
  readonly bytes: number;
}

/** Reads a file of lines that grows: each time what is new, whole lines only. */
export class LineTail {
  readonly #path: string;
  #end = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Calls back for each new line; returns false if the file has become shorter, and must be read from the start. */
  async read(onLine: (line: PlacedLine) => void): Promise<boolean> {
    const file = await open(this.#path).catch(() => undefined);
    if (file === undefined) return this.#end === 0;
    try {
      const { size } = await file.stat();
      if (size < this.#end) return false;
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(1, size - this.#end)));
      let rest: Buffer = Buffer.alloc(0);
      for (let at = this.#end; at < size; ) {
        const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - at), at);
        if (bytesRead === 0) break;
        at += bytesRead;
        rest = this.#lines(Buffer.concat([rest, chunk.subarray(0, bytesRead)]), onLine);
      }
      return true;
    } finally {
      await file.close();
    }
  }

  /** Tells of whole lines; returns what is left. */
  #lines(bytes: Buffer, onLine: (line: PlacedLine) => void): Buffer {
    let start = 0;
    for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
      const length = end + 1 - start;
      onLine({ text: bytes.toString('utf8', start, end), at: this.#end, bytes: length });
      this.#end += length;
      start = end + 1;
    }
    return Buffer.from(bytes.subarray(start));
  }
}

/** Reads one line again. */
export function readLineAt(path: string, { at, bytes }: Pick<PlacedLine, 'at' | 'bytes'>): string {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size < at + bytes) throw new Error(`${path} is shorter than it was`);
    const buffer = Buffer.alloc(bytes);
    readSync(fd, buffer, 0, bytes, at);
    return buffer.toString('utf8').trimEnd();
  } finally {
    closeSync(fd);
  }
}
