import { pathToFileURL } from 'node:url';
import type { run } from '../../src/cli/run.ts';
import { ROOT } from './command.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number;
  /** All that was printed. */
  readonly output: string;
  /** What a pipe would have got. */
  readonly stdout: string;
}

/**
 * Runs the built command to its end in this process, which takes a hundredth of the time: for tests whose point is not
 * the process. Not for modules, signals, terminals or standard input. One runs after the other, because
 * they share the output, the variables and the folder of this process.
 */
export function runHere(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd: string = ROOT): Promise<Ended> {
  const ended = last.then(() => runAlone(args, env, cwd));
  last = ended.catch(() => {});
  return ended;
}

let last: Promise<unknown> = Promise.resolve();

async function runAlone(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  // As Node loads it, and not through Vite: that is what users run. See `external` in vitest.config.ts.
  const command = (await import(pathToFileURL(`${ROOT}/dist/cli/run.js`).href)) as { run: typeof run };
  using printed = capture();
  using _ = borrow(env, cwd);
  const code = await command.run(args);
  return { code, output: printed.output(), stdout: printed.stdout() };
}

/** Collects what this process prints. */
function capture(): Disposable & { output(): string; stdout(): string } {
  const { stdout, stderr } = process;
  const writes = { stdout: stdout.write, stderr: stderr.write };
  const listeners = new Set([...stdout.listeners('error'), ...stderr.listeners('error')]);
  let output = '';
  let piped = '';
  const collect = (text: string | Uint8Array) => {
    output += Buffer.from(text as string);
    return true;
  };
  stdout.write = ((text: string | Uint8Array) => {
    piped += Buffer.from(text as string);
    return collect(text);
  }) as typeof stdout.write;
  stderr.write = collect as typeof stderr.write;
  return {
    output: () => output,
    stdout: () => piped,
    [Symbol.dispose]() {
      stdout.write = writes.stdout;
      stderr.write = writes.stderr;
      // A command listens for readers that leave until its process ends.
      for (const stream of [stdout, stderr])
        for (const listener of stream.listeners('error'))
          if (!listeners.has(listener)) stream.off('error', listener as () => void);
    },
  };
}

/** Sets variables and the folder of this process, and gives them back. */
function borrow(env: NodeJS.ProcessEnv, cwd: string): Disposable {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  Object.assign(process.env, env);
  process.chdir(cwd);
  return {
    [Symbol.dispose]() {
      process.chdir(before.cwd);
      for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
      Object.assign(process.env, before.env);
    },
  };
}
