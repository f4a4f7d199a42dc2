import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from './failure.ts';
import { locate } from './location.ts';
import { toSafeText } from './safe-text.ts';
import type { Colors } from './terminal.ts';

/** What is wrong with an author's module, and where: plain data, so that it can go from process to process. */
export interface ModuleProblem {
  /** What kind of error it is, and what it says; then its causes. */
  readonly message: string;
  /** What a person could do, if that is known. */
  readonly advice?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** A file that is imported and is not there. */
  readonly missing?: string;
  /** The whole stack, only for those who ask for it with TILTYARD_DEBUG=1. */
  readonly stack?: string;
}

/** What was thrown while a module was loaded. */
export function toProblem(thrown: unknown, advice?: string): ModuleProblem {
  const isDebugging = process.env.TILTYARD_DEBUG === '1' && thrown instanceof Error && thrown.stack !== undefined;
  const { message, ...location } = locate(thrown);
  return {
    message: [message ?? nameAndMessage(thrown), ...causesOf(thrown)].join('\n  because: '),
    ...(advice === undefined ? {} : { advice }),
    ...location,
    ...(isDebugging ? { stack: thrown.stack as string } : {}),
  };
}

/** A problem for a person: `math.ts:12:5  TypeError: ...`, and the line of code with its neighbours. */
export function describeProblem(problem: ModuleProblem, colors: Colors): string {
  const { message, advice, stack } = problem;
  const place = placeOf(problem);
  const frame = frameOf(problem, colors);
  return [
    `${place === undefined ? '' : `${colors.cyan(place)}  `}${colors.red(toSafeText(message))}`,
    ...(frame.length === 0 ? [] : ['', ...frame]),
    ...(advice === undefined ? [] : ['', advice]),
    ...(stack === undefined ? [] : ['', toSafeText(stack)]),
  ].join('\n');
}

function nameAndMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `thrown: ${String(thrown)}`;
  // Ours, in words for people: its class says nothing to them.
  if (thrown instanceof Failure) return thrown.message;
  return thrown.name === 'Error' ? thrown.message : `${thrown.name}: ${thrown.message}`;
}

function causesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || thrown.cause === undefined) return [];
  return [nameAndMessage(thrown.cause), ...causesOf(thrown.cause)];
}

function placeOf({ file, line, column }: ModuleProblem): string | undefined {
  if (file === undefined) return undefined;
  const path = relative('', file);
  return [path.startsWith('..') ? file : path, line, column].filter((part) => part !== undefined).join(':');
}

const NEIGHBOURS = 1;
const LONGEST_LINE = 160;

/** The line of code and those around it. */
function frameOf({ file, line, column }: ModuleProblem, colors: Colors): string[] {
  if (file === undefined || line === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  const last = Math.min(lines.length, line + NEIGHBOURS);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = Math.max(1, line - NEIGHBOURS); number <= last; number += 1) {
    const mark = number === line ? colors.red('>') : ' ';
    const code = toSafeText((lines[number - 1] ?? '').slice(0, LONGEST_LINE)).replaceAll('\t', ' ');
    frame.push(`${mark} ${colors.dim(`${String(number).padStart(width)} |`)} ${code}`.trimEnd());
    if (number === line && column !== undefined && column <= LONGEST_LINE)
      frame.push(`  ${colors.dim(`${' '.repeat(width)} |`)} ${' '.repeat(column - 1)}${colors.red('^')}`);
  }
  return frame;
}
