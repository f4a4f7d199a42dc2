import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where in an author's files an error comes from, as far as it tells. */
export interface Location {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** A file that is imported there and does not exist. */
  readonly missing?: string;
  /** Better words than the error's own, where these are for the tool that wrote them. */
  readonly message?: string;
}

/** Finds the place in the author's files that an error speaks of. */
export function locate(thrown: unknown): Location {
  if (!(thrown instanceof Error)) return {};
  const { message, stack = '' } = thrown;
  return fromTransform(message) ?? fromMissing(message) ?? fromHeading(stack) ?? fromFrames(stack) ?? {};
}

/** Finds a syntax error in a JavaScript file: Node tells its place only to those who let it check the file. */
export function locateSyntaxError(file: string): Location {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  return fromHeading(stderr) ?? {};
}

/** Whether a file is neither ours nor installed: one that the author writes. */
export function isAuthors(file: string): boolean {
  return !file.includes(`${sep}node_modules${sep}`) && !OURS.some((folder) => file.startsWith(folder));
}

// A longer line is a text that somebody made look like a call: a pattern would look at it for as long as they like.
const LONGEST_FRAME = 1_000;

/** A text that may have a stack in it, without the calls that the author has no hand in: they say nothing to them. */
export function withoutForeignFrames(text: string): string {
  const isForeign = (line: string) =>
    line.length <= LONGEST_FRAME && /^\s+at /.test(line) && fromFrames(line) === undefined;
  return text
    .split('\n')
    .filter((line) => !isForeign(line))
    .join('\n');
}

// Stacks name the sources where there are source maps.
const PACKAGE = resolve(fileURLToPath(import.meta.url), '../../../..');
const OURS = ['dist', 'src'].map((folder) => resolve(PACKAGE, folder) + sep);

// As esbuild reports it: /path/math.ts:12:5: ERROR: Unexpected "="; its columns begin at 0.
function fromTransform(message: string): Location | undefined {
  const [, file, line, column, text] = /^(.+?):(\d+):(\d+): ERROR: (.*)$/m.exec(message) ?? [];
  if (file === undefined) return undefined;
  return { file, line: Number(line), column: Number(column) + 1, message: `SyntaxError: ${text}` };
}

// As Node and tsx report an import of what is not there; the line is the one that speaks of its name.
function fromMissing(message: string): Location | undefined {
  const [, wanted = '', from = ''] =
    /^Cannot find (?:module|package) '(.+?)' imported from '?(.+?)'?$/m.exec(message) ?? [];
  const [missing, file] = [toPath(wanted), toPath(from)];
  if (file === undefined || !existsSync(file)) return undefined;
  const name = basename(wanted, extname(wanted));
  const lines = readFileSync(file, 'utf8').split('\n');
  const index = lines.findIndex((line) => /\b(?:from|import|require)\b/.test(line) && line.includes(name));
  return {
    file,
    ...(index < 0 ? {} : { line: index + 1 }),
    ...(missing === undefined ? {} : { missing }),
  };
}

// As Node heads the stack of what it could not link: the place, the line of code, and a caret under it.
function fromHeading(stack: string): Location | undefined {
  const [, place = '', line, indent] = /^(\S.*):(\d+)\n.*\n( *)\^/.exec(stack) ?? [];
  const file = toPath(place);
  if (file === undefined || !isAuthors(file)) return undefined;
  return { file, line: Number(line), ...(indent === undefined ? {} : { column: indent.length + 1 }) };
}

// The first call in the stack that the author wrote: for a mistake in a definition, the call of environment().
function fromFrames(stack: string): Location | undefined {
  for (const [, place = '', line, column] of stack.matchAll(/^ +at (?:.*\()?(.+?):(\d+):(\d+)\)?$/gm)) {
    const file = toPath(place);
    if (file !== undefined && isAuthors(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

function toPath(place: string): string | undefined {
  const bare = place.replace(/^async /, '').replace(/\?.*$/, '');
  if (bare.startsWith('file:')) return pathOfUrl(bare);
  return /^(\/|[A-Za-z]:\\)/.test(bare) ? bare : undefined;
}

/** Undefined of a URL that names no file here: the stack of another machine, or a text that looks like one. */
function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
