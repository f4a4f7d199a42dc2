import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

// The built command, as users run it: `npm test` builds first.
export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** A command that runs or has run. */
export interface Run {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly output: () => string;
  /** What a pipe would have got. */
  readonly stdout: () => string;
  readonly exit: Promise<number | null>;
}

/** Runs the command, in the repository unless told otherwise; it is killed when the test ends. */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd: string = ROOT): Run {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...process.env, ...env } });
  killAtTheEnd(child);
  return watch(child);
}

/** Kills a process when the test ends, and waits until it is gone: what it writes to may be removed next. */
export function killAtTheEnd(child: ChildProcess): void {
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    if (child.kill('SIGKILL')) await gone;
  });
}

/** Collects what a process prints. */
export function watch(child: ChildProcessWithoutNullStreams): Run {
  let output = '';
  let stdout = '';
  child.stdout.on('data', (data) => {
    output += data;
    stdout += data;
  });
  child.stderr.on('data', (data) => (output += data));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, stdout: () => stdout, exit };
}

/** Resolves when the command has printed this; rejects when it ends before. */
export async function untilPrinted({ output, exit, child }: Run, pattern: RegExp): Promise<RegExpExecArray> {
  let ended = false;
  void exit.then(() => (ended = true));
  for (;;) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    if (ended) throw new Error(`ended without printing ${pattern}:\n${output()}`);
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child.stderr as NodeJS.ReadableStream, 'data'),
      exit,
    ]);
  }
}

/** A folder inside the repository, so that a module in it finds the package by name; it goes when the test ends. */
export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = temporaryFolder('.tmp-cli-', ROOT);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Sends a signal again and again, as somebody does who has lost patience, until the command ends. */
export async function insist({ child, exit }: Run, signal: NodeJS.Signals): Promise<number | null> {
  const pressing = setInterval(() => child.kill(signal), 100);
  try {
    return await exit;
  } finally {
    clearInterval(pressing);
  }
}
