import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** A type error, as the compiler reports it. */
export interface TypeProblem {
  /** What it says, after its code: `TS2322: Type 'string' is not assignable to type 'number'.` */
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Runs the project's own compiler in the background. */
export interface TypeCheck extends Disposable {
  /** Checks the files as they are now; a run that is under way is given up. */
  start(): void;
  /** Gives up a run that is under way. */
  cancel(): void;
}

/** Where what the compiler found is shown. */
export interface TypeDisplay {
  typed(problems: readonly TypeProblem[]): void;
  /** There is a tsconfig.json, and no compiler. */
  untyped(): void;
}

/** The type check of the project in a folder; does nothing where there is no tsconfig.json. */
export function typeCheck(folder: string, display: TypeDisplay): TypeCheck {
  const config = resolve(folder, 'tsconfig.json');
  if (!existsSync(config)) return { start() {}, cancel() {}, [Symbol.dispose]() {} };
  const compiler = findCompiler(folder);
  let running: ChildProcess | undefined;
  const cancel = () => {
    if (running !== undefined) killGroup(running);
    running = undefined;
  };
  const start = () => {
    if (compiler === undefined) return;
    cancel();
    const child = spawn(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '--project', config], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      // In a group of its own: the compiler may be a process that it starts in turn, which is to end with it.
      detached: true,
    });
    running = child;
    yieldTo(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', () => {}); // as good as one that found nothing: the project's own check tells why
    child.on('close', () => {
      if (running !== child) return;
      running = undefined;
      display.typed(toProblems(output, folder));
    });
  };
  if (compiler === undefined) display.untyped();
  // However the command ends, nothing stays behind.
  process.once('exit', cancel);
  return {
    start,
    cancel,
    [Symbol.dispose]() {
      cancel();
      process.off('exit', cancel);
    },
  };
}

function toProblems(output: string, folder: string): TypeProblem[] {
  return [...output.matchAll(/^(?:(\S.*?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/gm)].map(
    ([, file, line, column, message = '']) =>
      file === undefined
        ? { message: message.trimEnd() }
        : { message: message.trimEnd(), file: resolve(folder, file), line: Number(line), column: Number(column) },
  );
}

function findCompiler(folder: string): string | undefined {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: { readonly tsc: string } };
    return join(dirname(manifest), bin.tsc);
  } catch {
    return undefined;
  }
}

// The reload, and what is served, come first.
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as others do.
  }
}

function killGroup(child: ChildProcess): void {
  const { pid } = child;
  try {
    if (pid !== undefined && process.platform !== 'win32') process.kill(-pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended already.
  }
}
