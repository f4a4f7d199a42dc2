import { relative } from 'node:path';
import type { Incidents } from '../../checking/index.ts';
import { type Log, silent } from '../../core/index.ts';
import { locate } from './location.ts';
import { toSafeText } from './safe-text.ts';
import { processTerminal } from './terminal.ts';

/**
 * What authors' code does beside what it was asked for: errors that nobody caught, and the end of its process. Each is told in one
 * line, the first time, and the command goes on.
 */
export class StrayErrors {
  readonly #told = new Set<string>();
  #errors: string[] = [];
  #processEnds: string[] = [];

  /** A log that hears of them, and leaves out the rest. */
  readonly log: Log = { ...silent, error: (fields) => this.#hear(fields) };

  /** The same as a stream of lines, for the log of a server. */
  readonly lines: { write(line: string): void } = { write: (line) => this.#hear(JSON.parse(line)) };

  /** What has happened since this was called last. */
  take(): Incidents {
    const taken = { strayErrors: this.#errors, processEnds: this.#processEnds };
    this.#errors = [];
    this.#processEnds = [];
    return taken;
  }

  #hear(fields: object): void {
    const { origin, error, worker, why, kind } = fields as Fields;
    // What else is logged, the answers of the server tell as well.
    if (origin !== undefined && error !== undefined) {
      const text = toText(error);
      note(this.#errors, text);
      const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
      this.#tell(`${what} where nobody catches it: ${text}`);
    } else if (worker !== undefined && why !== undefined) {
      const text = toSafeText(why);
      // One that was ended because code blocked it did not end by itself.
      if (kind !== 'blocked') note(this.#processEnds, text);
      this.#tell(`the process that runs the module has ended, and is replaced: ${text}`);
    }
  }

  #tell(line: string): void {
    if (this.#told.has(line) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(line);
    processTerminal().note(`tiltyard: ${line}`);
  }
}

/** What a line of the log has of them. */
interface Fields {
  readonly origin?: string;
  readonly error?: Error;
  readonly worker?: number;
  readonly why?: string;
  readonly kind?: string;
}

// Who has seen so many has seen enough.
const MOST_TOLD = 100;

/** What happens again and again is told once. */
function note(texts: string[], text: string): void {
  if (!texts.includes(text)) texts.push(text);
}

/** `Error: late (math.ts:12:5)` */
function toText({ name, message, stack = '' }: Error): string {
  const { file, line } = locate(Object.assign(new Error(message), { stack }));
  const place = file === undefined ? '' : ` (${relative('', file)}:${line})`;
  const [first = ''] = message.split('\n');
  return toSafeText(`${name}: ${first}${place}`);
}
