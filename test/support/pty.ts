import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { MAIN, ROOT } from './command.ts';

/** A command in a pseudo-terminal, as a person sees it. */
export interface Screen {
  /** Types text; Enter is '\r'. */
  type(text: string): void;
  /** Everything shown so far, without colours and cursor movements. */
  text(): string;
  /** Everything shown so far, byte for byte. */
  raw(): string;
  /** Resolves when this is shown after what the last wait has seen; rejects when the command ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exit: Promise<number>;
}

const KEYS = { enter: '\r', down: '\x1b[B', up: '\x1b[A', interrupt: '\x03' } as const;

/** The keys that have no letter. */
export const keys: typeof KEYS = KEYS;

/** Runs the built command in a pseudo-terminal; it is killed when the test ends. */
export function runInTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd: string = ROOT): Screen {
  const { NO_COLOR: _, CI: __, ...inherited } = process.env;
  const pty = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    cols: 100,
    rows: 40,
    env: { ...inherited, TERM: 'xterm-256color', ...env },
  });
  let shown = '';
  let seen = 0;
  let ended: number | undefined;
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  pty.onData((data) => {
    shown += data;
    wake();
  });
  const exit = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      ended = exitCode;
      resolve(exitCode);
      wake();
    }),
  );
  onTestFinished(() => {
    if (ended === undefined) pty.kill('SIGKILL');
  });
  return {
    type: (text) => pty.write(text),
    text: () => plain(shown),
    raw: () => shown,
    exit,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(plain(shown).slice(seen));
          if (found === null && ended === undefined) return;
          watchers.delete(look);
          if (found === null) return reject(new Error(`ended without showing ${pattern}:\n${plain(shown)}`));
          seen += found.index + found[0].length;
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
  };
}

const ESCAPES = /\x1b(?:\[[0-9;?]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>])/g;

function plain(text: string): string {
  return text.replace(ESCAPES, '').replaceAll('\r', '');
}
