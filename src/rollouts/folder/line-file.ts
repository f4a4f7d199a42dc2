import {
  closeSync,
  createReadStream,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';

// What a kill of this process may take at most of lines that may wait.
const COLLECT_MS = 50;
const COLLECT_CHARACTERS = 65_536;

/** A file of JSON lines that only grows. */
export class LineFile implements Disposable {
  readonly #fd: number;
  /** Where its last whole line ends. */
  #end: number;
  /** Lines that wait to be written together. */
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;
  /** What the disk did not take, while nobody waited for it. */
  #failure: { readonly thrown: unknown } | undefined;

  /** Opens a file, or makes it; what a crash has left of a last line is cut off. */
  constructor(path: string) {
    this.#fd = openSync(path, 'a+', 0o600);
    this.#end = endOfLines(this.#fd);
    ftruncateSync(this.#fd, this.#end);
  }

  /** Writes a line soon, together with others; it is with the operating system within 50 ms, or when `write` returns. */
  append(value: object): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    this.#waiting += `${JSON.stringify(value)}\n`;
    if (this.#waiting.length > COLLECT_CHARACTERS) this.write();
    else this.#timer ??= setTimeout(() => this.#writeUnasked(), COLLECT_MS);
  }

  /** Writes what waits; if the disk does not take it, this throws, and nothing of it is there. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (thrown) {
      ftruncateSync(this.#fd, this.#end);
      throw thrown;
    }
    this.#end += bytes.length;
  }

  /** Writes what waits, and waits until all lines are on the disk. */
  flush(): void {
    this.write();
    if (this.#failure !== undefined) throw this.#failure.thrown;
    fdatasyncSync(this.#fd);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    closeSync(this.#fd);
  }

  #writeUnasked(): void {
    try {
      this.write();
    } catch (thrown) {
      this.#failure = { thrown };
    }
  }
}

const CHUNK_BYTES = 65_536;
const LINE_BREAK = 10;

function endOfLines(fd: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = fstatSync(fd).size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const read = readSync(fd, chunk, 0, end - start, start);
    const place = chunk.subarray(0, read).lastIndexOf(LINE_BREAK);
    if (place >= 0) return start + place + 1;
    end = start;
  }
  return 0;
}

/** Reads such a file line by line, with only one of them in memory; a last line that is not whole is left out. */
export async function* readLines<Line>(path: string): AsyncGenerator<Line, void> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parse<Line>(line, path);
  }
}

function parse<Line>(line: string, path: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (cause) {
    throw new Error(`${path} is damaged: this line is not JSON: ${line.slice(0, 100)}`, { cause });
  }
}
