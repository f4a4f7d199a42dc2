import picocolors from 'picocolors';
import { toSafeJson } from './safe-text.ts';

/** The functions that colour text; without a terminal they return it as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Where a command writes: results to standard output, everything about its progress to standard error. */
export interface Terminal {
  /** A line of what was asked for. */
  print(line?: string): void;
  /** What was asked for, for programs: one value as one line of JSON. */
  printJson(value: unknown): void;
  /** A line about what is going on; it does not get into a pipe. */
  note(line: string): void;
  /** For what is printed. */
  readonly colors: Colors;
  /** For what is noted. */
  readonly noteColors: Colors;
  /** Whether somebody is there to answer questions. */
  readonly isInteractive: boolean;
  readonly columns: number;
}

const DEFAULT_COLUMNS = 80;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  // As it is now: authors' code in this process may be given another one.
  const write = stdout.write.bind(stdout);
  return {
    print: (line = '') => void write(`${line}\n`),
    printJson: (value) => void write(`${toSafeJson(value)}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    colors: colorsFor(stdout),
    noteColors: colorsFor(stderr),
    isInteractive: stdin.isTTY === true && stdout.isTTY === true,
    columns: stdout.columns ?? DEFAULT_COLUMNS,
  };
}

// Each stream for itself: one of them may go to a file.
function colorsFor({ isTTY }: NodeJS.WriteStream): Colors {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  const forced = FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  return picocolors.createColors(NO_COLOR === '' && (forced || (isTTY === true && TERM !== 'dumb')));
}
