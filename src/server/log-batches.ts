/** Where pino writes its lines. */
export interface LogStream {
  write(line: string): void;
}

/** A stream that collects lines and writes them on together. */
export interface LogBatches extends LogStream, Disposable {}

// So that a burst within one turn cannot hold memory without bound.
const MAX_CHARACTERS = 64 * 1024;

/**
 * Collects the log lines of one turn of the event loop and writes them in one piece: a write for each line costs more than
 * everything else about the line. Nothing waits beyond the turn, and what is left at exit is written then, so a process
 * that ends by an exception loses no line.
 */
export function logBatches(target: LogStream): LogBatches {
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    const batch = lines;
    lines = '';
    target.write(batch);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
      if (lines.length > MAX_CHARACTERS) flush();
    },
    [Symbol.dispose]() {
      flush();
      process.off('exit', flush);
    },
  };
}
