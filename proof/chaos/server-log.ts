import { inLines } from '../lines.ts';

// What the tools, setups and teardowns of this world do when they are asked to.
const FORESEEN = /^((tool 'broken'|setup|teardown) of environment 'chaos'|tool 'Chaos_Broken') failed$/;

// Pino's number for it.
const ERROR = 50;

// Enough to see what went wrong; a server that has gone mad would fill the memory.
const MAX_FAULTS = 100;
const SHOWN = 2_000;

/** Reads what the server prints. */
export class ServerLog {
  /** What nobody foresaw: errors of other kinds, and what is no line of a log. */
  readonly faults: string[] = [];

  /** Takes what one process of the server prints, in pieces that end anywhere. */
  reader(): (piece: string) => void {
    return inLines((line) => this.#read(line));
  }

  #read(text: string): void {
    const line = toLine(text);
    if (line === undefined || (line.level >= ERROR && !FORESEEN.test(line.msg))) this.#addFault(text);
  }

  #addFault(text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(text.slice(0, SHOWN));
  }
}

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

function toLine(text: string): LogLine | undefined {
  try {
    const { level, msg = '' } = JSON.parse(text) as Partial<LogLine>;
    return level === undefined ? undefined : { level, msg };
  } catch {
    return undefined; // not JSON: somebody has printed something
  }
}
