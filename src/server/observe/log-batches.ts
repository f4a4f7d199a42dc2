import { mostBytes } from '../../protocol/index.ts';

/** A line, or how to make it later. */
export type LogLine = string | (() => string);

/** Where lines go. */
export interface LogStream {
  write(line: LogLine): void;
}

/** A stream that collects lines and writes them on together. */
export interface LogBatches extends LogStream, Disposable {}

/** Where batches go; it says when it has no more use for one. */
export interface BatchTarget {
  write(batch: Uint8Array, onWritten: () => void): unknown;
}

// Short enough that nobody waits for a line, long enough that a busy server writes many at once.
const COLLECT_MS = 10;

// So that a burst within that time cannot hold memory without bound.
const BATCH_BYTES = 64 * 1024;
const MAX_UNMADE = 500;

/**
 * Collects log lines for a moment and writes them in one piece: a write for each line costs more than everything else
 * about the line. What is left at exit is written then, so a process that ends by an exception loses no line.
 *
 * A line that is given as a function is made when the next one comes as text, or with the batch. The last line about a
 * call is that of its request, which is written when the answer is out: until then nothing keeps the answer waiting, and
 * afterwards the server would most likely wait for its next request.
 *
 * Lines are kept as bytes. As text they are trees of all the pieces they were made from, and the garbage collector would
 * copy each piece of each line that waits.
 */
export function logBatches(target: BatchTarget): LogBatches {
  let batch: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let spare: Buffer | undefined;
  let used = 0;
  const unmade: (() => string)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const writeOn = () => {
    if (used === 0) return;
    const written = batch;
    target.write(written.subarray(0, used), () => {
      spare = written;
    });
    batch = spare ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    spare = undefined;
    used = 0;
  };
  const add = (line: string) => {
    const most = mostBytes(line);
    if (most > BATCH_BYTES - used) writeOn();
    if (most > BATCH_BYTES) target.write(Buffer.from(line), () => {});
    else used += batch.write(line, used);
  };
  /** Adds the lines that are not made yet, and then one that is: together, since each piece that is added costs as much as a line. */
  const addAll = (last: string) => {
    let lines = '';
    for (const make of unmade) lines += make();
    unmade.length = 0;
    add(lines + last);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    addAll('');
    writeOn();
  };
  process.on('exit', flush);
  return {
    write(line) {
      timer ??= setTimeout(flush, COLLECT_MS).unref();
      if (typeof line === 'string') addAll(line);
      else if (unmade.push(line) >= MAX_UNMADE) addAll('');
    },
    [Symbol.dispose]() {
      flush();
      process.off('exit', flush);
    },
  };
}
