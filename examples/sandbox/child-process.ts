import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** What to run, and how much of it to bear. */
export interface ProcessRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Where it runs; also its HOME and TMPDIR, so that what tools leave there goes with the directory. */
  readonly directory: string;
  readonly timeMs: number;
  /** The most bytes that are kept; what comes after them is read and dropped. */
  readonly maxBytes: number;
  /** The file descriptors to read; all others lead nowhere. */
  readonly read: readonly number[];
  /** What the process finds on its standard input; nothing when left out. */
  readonly input?: string;
  readonly signal: AbortSignal;
}

/** How a process ended. */
export interface ProcessResult {
  readonly output: string;
  /** Whether there was more output than was kept. */
  readonly cut: boolean;
  /** The exit code; null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

/** Runs a process, and kills its whole group at its end. Rejects if the signal fires first. */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { file, args, directory, input, signal } = request;
  signal.throwIfAborted();
  const child = spawn(file, args, {
    cwd: directory,
    env: scrubbedEnvironment(directory),
    stdio: toStdio(request),
    // Its own process group, so that the process and all of its children can be killed at once.
    detached: true,
  });
  // A process that could not be started has no pipes, and says why in a moment.
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  let timedOut = false;
  const stop = () => stopGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, request.timeMs);
  signal.addEventListener('abort', stop, { once: true });
  // A command that is done takes what it left in the background with it.
  child.once('exit', () => killGroup(child));
  // A process that does not read its input must not break the server.
  child.stdin?.once('error', () => {}).end(input);
  try {
    const collected = collect(child, request);
    const [exitCode] = await once(child, 'close');
    signal.throwIfAborted();
    return { ...collected(), exitCode, timedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

// Not the server's environment: that is where API keys are.
function scrubbedEnvironment(directory: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8' };
}

function toStdio({ read, input }: ProcessRequest): ('pipe' | 'ignore')[] {
  const wanted = new Set(input === undefined ? read : [0, ...read]);
  return Array.from({ length: Math.max(2, ...wanted) + 1 }, (_, fd) => (wanted.has(fd) ? 'pipe' : 'ignore'));
}

function stopGroup(child: ChildProcess): void {
  killGroup(child);
  // A process that left its group may still hold our pipes open: they must not keep the call waiting.
  for (const stream of child.stdio) stream?.destroy();
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: nobody is left in the group. EPERM: only zombies are, as macOS sees it.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function collect(child: ChildProcess, { read, maxBytes }: ProcessRequest): () => { output: string; cut: boolean } {
  const chunks: Buffer[] = [];
  let room = maxBytes;
  let cut = false;
  for (const fd of read) {
    (child.stdio[fd] as Readable).on('data', (chunk: Buffer) => {
      cut ||= chunk.length > room;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      room = Math.max(0, room - chunk.length);
    });
  }
  return () => ({ output: Buffer.concat(chunks).toString(), cut });
}
