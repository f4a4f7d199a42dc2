import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { PythonName } from './python-environment.ts';

// How much of a process's complaints is kept for the message of a failed test.
const KEPT_CHARACTERS = 5_000;

/** A script of python/ that is spoken to by lines; it ends when its input does. */
export class PythonProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #readers = new Set<(line: string) => void>();
  readonly #ended: Promise<never>;
  #complaints = '';

  constructor(packages: PythonName, script: string, ...args: string[]) {
    const path = fileURLToPath(new URL(`python/${script}`, import.meta.url));
    this.#child = spawn(pythonPath(packages), [path, ...args], { env: cleanVariables(), stdio: 'pipe' });
    this.#child.stderr.on('data', (data) => {
      this.#complaints = (this.#complaints + data).slice(-KEPT_CHARACTERS);
    });
    createInterface(this.#child.stdout).on('line', (line) => {
      for (const reader of [...this.#readers]) reader(line);
    });
    this.#ended = once(this.#child, 'close').then(([code]) => {
      throw new Error(`${script} ended with ${code}:\n${this.#complaints}`);
    });
    // Stopping is not a failure; whoever reads is told.
    this.#ended.catch(() => {});
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Waits for a line that `take` makes something of. */
  async read<Value>(take: (line: string) => Value | undefined): Promise<Value> {
    let reader: ((line: string) => void) | undefined;
    const taken = new Promise<Value>((resolve, reject) => {
      reader = (line) => {
        try {
          const value = take(line);
          if (value !== undefined) resolve(value);
        } catch (error) {
          reject(error);
        }
      };
      this.#readers.add(reader);
    });
    try {
      return await Promise.race([taken, this.#ended]);
    } finally {
      if (reader !== undefined) this.#readers.delete(reader);
    }
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended.catch(() => {});
  }
}

/** Where the Python with these packages is. */
export function pythonPath(packages: PythonName): string {
  const python = inject('interopPython')[packages];
  if ('missing' in python) throw new Error(python.missing);
  return python.path;
}

/** The variables for Python: nothing of this machine's settings leads the SDKs elsewhere, and only the test's server is asked. */
export function cleanVariables(): NodeJS.ProcessEnv {
  const ours = /^(ors|openreward|oxp|langsmith|openai|anthropic|inspect|hf)_|_proxy$/i;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(kept), OPENREWARD_DISABLE_UPDATE_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1' };
}
