import { type ChildProcess, spawn } from 'node:child_process';

/** How a program is started. */
export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it reads from standard input. */
  readonly input: string;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last that it printed. */
  readonly output: string;
}

// Enough to see why it failed.
const MAX_OUTPUT_CHARACTERS = 16_384;

// What it has printed is on its way when it ends.
const LAST_OUTPUT_MS = 1_000;

/** A program with all that it starts, in a group of its own, so that nothing of it is left. */
export class Program {
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcess;
  #output = '';
  #killing: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor({ command, args, cwd, env, input }: ProgramOptions) {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    const keep = (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    // It need not read what it is given.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    process.once('exit', this.#kill);
    this.ended = new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.#over();
        reject(error);
      });
      child.once('exit', (code, signal) => {
        this.#over();
        // What it has started ends with it, and so does its output; but a process that has left the group must not hold up the episode.
        this.#kill();
        const tell = () => resolve({ code, signal, output: this.#output });
        const late = setTimeout(tell, LAST_OUTPUT_MS);
        child.once('close', () => {
          clearTimeout(late);
          tell();
        });
      });
    });
  }

  /** Asks it to end, and ends it if it has not after a while. */
  stop(patienceMs: number): void {
    if (this.#hasEnded || this.#killing !== undefined) return;
    this.#signal('SIGTERM');
    this.#killing = setTimeout(this.#kill, patienceMs);
  }

  #over(): void {
    this.#hasEnded = true;
    clearTimeout(this.#killing);
    process.removeListener('exit', this.#kill);
  }

  readonly #kill = (): void => this.#signal('SIGKILL');

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The whole group has ended.
    }
  }
}
