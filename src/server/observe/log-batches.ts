import { mostBytes } from '../../protocol/index.ts';
import { onProcess } from './process-events.ts';

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

// So many are made together. Hundreds took longer for each: what they are made from has left the processor's caches by then.
const MAX_UNMADE = 24;

/**
 * Collects log lines for a moment and writes them in one piece: a write for each line costs more than everything else
 * about the line. What is left at exit is written then, so a process that ends by an exception loses no line.
 *
 * A line that is given as a function is made together with others, when the next one comes as text, or with the batch: nothing
 * keeps an answer waiting for its line.
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
  const makeAll = () => {
    for (const make of unmade) add(make());
    unmade.length = 0;
  };
  const flush = () => {
    timer = undefined;
    makeAll();
    writeOn();
  };
  const stop = onProcess('exit', flush);
  return {
    write(line) {
      timer ??= setTimeout(flush, COLLECT_MS).unref();
      if (typeof line === 'string') {
        makeAll();
        add(line);
      } else if (unmade.push(line) >= MAX_UNMADE) makeAll();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      flush();
      stop();
    },
  };
}
