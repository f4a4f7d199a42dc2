/** A line, or how to make it later. */
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
 * about the line. What is left at exit is written then, so a process that ends by an exception loses no line.
 *
 * A line that is given as a function is made when the next one comes as text, or with the batch. The last line about a
 * call is that of its request, which is written when the answer is out: until then nothing keeps the answer waiting, and
 * afterwards the server would most likely wait for its next request.
 */
export function logBatches(target: { write(batch: string): unknown }): LogBatches {
  let batch = '';
  let unmade: (() => string)[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const make = () => {
    const making = unmade;
    unmade = [];
    for (const line of making) batch += line();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (unmade.length > 0) make();
    if (batch === '') return;
    const text = batch;
    batch = '';
    count = 0;
    target.write(text);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (typeof line === 'function') unmade.push(line);
      else {
        if (unmade.length > 0) make();
        batch += line;
      }
      count += 1;
      if (count >= MAX_LINES) flush();
      else timer ??= setTimeout(flush, COLLECT_MS).unref();
    },
    [Symbol.dispose]() {
      flush();
      process.off('exit', flush);
    },
  };
}
