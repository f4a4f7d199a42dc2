/** A line, or how to make it once it is written. */
export type LogLine = string | (() => string);

/** Where lines go. */
export interface LogStream {
  write(line: LogLine): void;
}

/** A stream that collects lines and writes them on together. */
export interface LogBatches extends LogStream, Disposable {}

// Short enough that nobody waits for a line, long enough that a busy server writes many at once.
const COLLECT_MS = 10;

// So that a burst within that time cannot hold memory without bound.
const MAX_LINES = 500;

/**
 * Collects log lines for a moment and writes them in one piece: a write for each line costs more than everything else
 * about the line. They are also made together, after the answers that they tell about. What is left at exit is written
 * then, so a process that ends by an exception loses no line.
 */
export function logBatches(target: { write(batch: string): unknown }): LogBatches {
  let lines: LogLine[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const batch = lines;
    lines = [];
    target.write(batch.map(toText).join(''));
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines.push(line) >= MAX_LINES) flush();
      else timer ??= setTimeout(flush, COLLECT_MS).unref();
    },
    [Symbol.dispose]() {
      flush();
      process.off('exit', flush);
    },
  };
}

function toText(line: LogLine): string {
  return typeof line === 'string' ? line : line();
}
