import { relative } from 'node:path';
import type { AuthOptions } from '../../server/index.ts';
import { describeProblem } from '../shared/module-problem.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { banner } from '../shared/serving/banner.ts';
import type { Colors, Terminal } from '../shared/terminal.ts';
import type { StudioDisplay } from './dev-studio.ts';
import { describeEntry, timeOf, toLogEntry } from './log-line.ts';
import type { Display } from './reloader.ts';
import type { TypeDisplay, TypeProblem } from './type-check.ts';

/** All that is shown. */
export type DevDisplay = Display & TypeDisplay & StudioDisplay;

/** Shows what happens to a person. */
export function peoplesDisplay(terminal: Terminal, auth: AuthOptions | undefined): DevDisplay {
  const { colors, noteColors } = terminal;
  let hadTypeErrors = false;
  const say = (text: string) => terminal.print(`${colors.dim(timeOf(Date.now()))}  ${text}`);
  return {
    listening: (url, served) => terminal.print(banner(served, { url, json: false, auth })),
    reloading: (changed) => say(`${changed.map(toName).join(', ') || 'a new start'}: reloading, ending sessions`),
    reloaded: (url) => say(colors.green(`reloaded, listening on ${url.replace('127.0.0.1', 'localhost')}`)),
    broken(problem, before) {
      const rest = before === 'serves' ? 'Still serving the previous version' : 'Nothing is served';
      terminal.note(`\n${describeProblem(problem, noteColors)}\n\n${rest}. Waiting for changes.\n`);
    },
    ended: (exitCode) => terminal.note(noteColors.red(endedText(exitCode))),
    killed: () => terminal.note(noteColors.yellow(KILLED)),
    log(line) {
      const entry = toLogEntry(line);
      const text = entry === undefined ? line.trimEnd() : describeEntry(entry, colors);
      if (text !== undefined) terminal.print(text);
    },
    typed(problems) {
      if (problems.length > 0) for (const line of typeErrorLines(problems, noteColors)) terminal.note(line);
      else if (hadTypeErrors) say(colors.green('no type errors left'));
      hadTypeErrors = problems.length > 0;
    },
    untyped: () => terminal.note(noteColors.dim(UNTYPED)),
    studio: (url) => terminal.print(`Play it in the browser:\n  ${url}\n`),
    noStudio: (message) => terminal.note(noteColors.yellow(`The studio could not be started: ${message}`)),
  };
}

/** Tells a program what happens: each time one line of JSON with an `event`. */
export function programsDisplay({ printJson }: Terminal): DevDisplay {
  return {
    listening: (url, served) => printJson({ event: 'listening', url, ...served }),
    reloading: (changed) => printJson({ event: 'reloading', changed }),
    reloaded: (url, served) => printJson({ event: 'listening', url, ...served }),
    broken: (problem, before) => printJson({ event: 'error', ...problem, serving: before === 'serves' }),
    ended: (exitCode) => printJson({ event: 'error', message: endedText(exitCode), serving: false }),
    killed: () => printJson({ event: 'warning', message: KILLED }),
    typed: (errors) => printJson({ event: 'types', errors }),
    untyped: () => printJson({ event: 'warning', message: UNTYPED }),
    studio: (url) => printJson({ event: 'studio', url }),
    noStudio: (message) => printJson({ event: 'warning', message: `the studio could not be started: ${message}` }),
    log: (line) => printJson({ event: 'log', ...(toLogEntry(line) ?? { msg: line.trimEnd() }) }),
  };
}

const UNTYPED = 'Types are not checked: typescript is not installed here (npm install --save-dev typescript).';

const MOST_ERRORS = 10;

function typeErrorLines(problems: readonly TypeProblem[], colors: Colors): string[] {
  const count = problems.length === 1 ? '1 type error' : `${problems.length} type errors`;
  const shown = problems.slice(0, MOST_ERRORS).map(({ message, file, line, column }) => {
    const place = file === undefined ? '' : `${colors.cyan(`${toName(file)}:${line}:${column}`)}  `;
    return `  ${place}${toSafeText(message)}`;
  });
  const rest = problems.length - shown.length;
  return [colors.yellow(`${count}:`), ...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

const KILLED = 'The previous version did not respond and was killed; its teardowns did not run.';

function endedText(exitCode: number | undefined): string {
  const how = exitCode === undefined ? 'it was killed' : `exit code ${exitCode}`;
  return `The server exited on its own (${how}). Waiting for changes.`;
}

function toName(path: string): string {
  const name = relative('', path);
  return name.startsWith('..') ? path : name;
}
