import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import type { Readable } from 'node:stream';
import { GUARD_FD, type LastWords, readLastWords } from './last-words.ts';
import type { Order } from './messages.ts';
import { pack } from './parcels.ts';
import { howItEnded, type WorkerEnd } from './worker-end.ts';

/** What a worker's process runs, and how. */
export interface ProcessStart {
  /** The file that the process runs, which calls `serveOrders`. */
  readonly entry: string;
  readonly execArgv: readonly string[];
  /** A file of this process, into which the worker's watchdog writes. */
  readonly watchdogFd: number;
  /** Where what authors' code prints goes. Default: each stream to that of this process. */
  readonly output?: AuthorsOutput | undefined;
}

/** `stderr`: all of it goes to standard error, because standard output belongs to somebody else. */
export type AuthorsOutput = 'inherit' | 'stderr';

const STANDARD_ERROR = 2;

/** How a process has ended, and what it said of it. */
export interface ProcessEnd extends WorkerEnd {
  readonly culprit?: LastWords['culprit'];
}

/** What hears of a process. */
export interface ProcessListeners {
  onMessage(message: unknown): void;
  /** What it says beside the channel. */
  onWords(words: LastWords): void;
}

/** The process of a worker, and the channel to it. */
export class WorkerProcess {
  /** Resolves when it has ended, and all that it wrote is read. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #killed: WorkerEnd | undefined;

  constructor({ entry, execArgv, watchdogFd, output }: ProcessStart, { onMessage, onWords }: ProcessListeners) {
    this.#child = fork(entry, {
      serialization: 'advanced',
      execArgv: [...execArgv],
      stdio: ['ignore', output === 'stderr' ? STANDARD_ERROR : 'inherit', 'inherit', 'ipc', 'pipe', watchdogFd],
    });
    this.#child.on('message', onMessage);
    let words: LastWords = {};
    let line = '';
    (this.#child.stdio[GUARD_FD] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const lines = `${line}${text}`.split('\n');
      line = lines.pop() ?? '';
      const heard = readLastWords(lines);
      words = { ...words, ...heard };
      onWords(heard);
    });
    this.ended = new Promise((resolve) => {
      // Not at its exit: what it wrote may come after that.
      this.#child.once('close', (code, signal) => {
        const { memory, culprit } = words;
        resolve({ ...(this.#killed ?? howItEnded(code, signal, memory)), culprit });
      });
      this.#child.once('error', ({ message }) => {
        if (this.#child.pid === undefined) resolve({ why: `could not start: ${message}`, kind: 'not_started' });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** One that has ended is told nothing; those who wait for it hear of its end. */
  send(orders: readonly Order[]): void {
    if (this.#child.connected) this.#child.send(pack(orders) as Serializable, () => {});
  }

  /** Ends it at once. */
  kill(end: WorkerEnd): void {
    this.#killed ??= end;
    this.#child.kill('SIGKILL');
  }
}
