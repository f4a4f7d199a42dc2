/** Where lines go. */
export interface LogStream {
  write(line: string): void;
}

/** Where batches go; standard output is one. */
export interface BatchTarget {
  write(batch: Uint8Array): void;
}

/** A stream that collects lines and writes them on together. */
export interface LogBatches extends LogStream, Disposable {}

// Short enough that nobody waits for a line, long enough that a busy server writes many at once.
const COLLECT_MS = 10;

const BATCH_BYTES = 64 * 1024;

// UTF-8 takes at most three bytes for each UTF-16 unit.
const MAX_BYTES_PER_UNIT = 3;

/**
 * Collects log lines for a moment and writes them in one piece: a write for each line costs more than everything else
 * about the line. As bytes, because a long string that grows line by line costs as much again when it is flattened. What is
 * left at exit is written then, so a process that ends by an exception loses no line.
 */
export function logBatches(target: BatchTarget): LogBatches {
  let batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let used = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (used === 0) return;
    target.write(batch.subarray(0, used));
    // The target may hold on to what it got.
    batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
    used = 0;
  };
  process.on('exit', flush);
  return {
    write(line) {
      const most = line.length * MAX_BYTES_PER_UNIT;
      if (used + most > BATCH_BYTES) flush();
      if (most > BATCH_BYTES) return void target.write(Buffer.from(line));
      used += batch.write(line, used);
      timer ??= setTimeout(flush, COLLECT_MS).unref();
    },
    [Symbol.dispose]() {
      flush();
      process.off('exit', flush);
    },
  };
}
