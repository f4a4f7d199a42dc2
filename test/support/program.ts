import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT, type Run, watch } from './command.ts';

/** How a program ended, and all that it printed. */
export interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/** Runs any program to its end. */
export async function runToEnd(cwd: string, program: string, args: readonly string[]): Promise<Ended> {
  const { output, exit } = watch(spawn(program, args, { cwd, env: cleanEnv() }));
  return { code: await exit, text: output() };
}

/** A program in a process group of its own, as a terminal runs it. */
export interface Job extends Run {
  /** Sends what Ctrl-C sends, to the whole group. */
  interrupt(): void;
}

/** Starts any program; it is killed when the test ends, with all that it started. */
export function startJob(cwd: string, program: string, args: readonly string[]): Job {
  const child = spawn(program, args, { cwd, env: cleanEnv(), detached: true });
  const running = watch(child);
  let ended = false;
  void running.exit.then(() => (ended = true));
  const send = (signal: NodeJS.Signals) => void process.kill(-(child.pid as number), signal);
  onTestFinished(() => void (ended || send('SIGKILL')));
  return { ...running, interrupt: () => send('SIGINT') };
}

/** The environment of somebody who is not in this repository: its programs must not stand in for missing ones. */
function cleanEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !OF_NPM_RUN.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(ROOT));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

// What `npm test` and vitest set for themselves.
const OF_NPM_RUN =
  /^(?:npm_package_|npm_lifecycle_|npm_command$|npm_config_local_prefix$|INIT_CWD$|NODE_ENV$|NODE_PATH$)/;
