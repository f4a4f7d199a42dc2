import { DefinitionError, type Rule } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';

/** Processes that run authors' code, instead of this one. */
export interface WorkersOption {
  /** The files that export environments or toolkits, in TypeScript or JavaScript. This process does not load them. */
  readonly modules: readonly (string | URL)[];
  /** How many processes. Default: one for each processor. */
  readonly count?: number;
  /**
   * The URL of a module that loads the files.
   * @internal For the command, which has more to say of mistakes in them.
   */
  readonly loader?: string;
  /**
   * Called with the URL of each file that a worker imports, before it is read.
   * @internal For `tiltyard dev`, which watches them.
   */
  readonly onImport?: (url: string) => void;
  /**
   * Where what the modules print goes. Default: where this process prints.
   * @internal For commands whose standard output is read by programs.
   */
  readonly output?: 'inherit' | 'stderr';
  /**
   * Gives up the start.
   * @internal For the command, when somebody presses Ctrl-C.
   */
  readonly signal?: AbortSignal;
  /**
   * The most time before a process that keeps ending is replaced. Default: 30 s.
   * @internal For the command, whose checks go on after each.
   */
  readonly maxPauseMs?: number;
  /**
   * False: episodes whose process ends are lost, whatever their environments declare. Default: true.
   * @internal For the command: it tells what a call did to its process, and checks what the standard says of sessions that nobody keeps.
   */
  readonly keepsEpisodes?: boolean;
}

const KEYS: ReadonlySet<string> = new Set([
  'modules',
  'count',
  'loader',
  'onImport',
  'output',
  'signal',
  'maxPauseMs',
  'keepsEpisodes',
]);

/** What can be given as `workers`. */
export const workersRule: Rule = (value, place) => {
  if (!isObject(value) || Object.keys(value).some((key) => !KEYS.has(key)))
    throw new DefinitionError(`${place} must be { modules, count }`);
  const { modules, count = 1 } = value;
  const isModule = (each: unknown) => (typeof each === 'string' && each !== '') || each instanceof URL;
  if (!Array.isArray(modules) || modules.length === 0 || !modules.every(isModule))
    throw new DefinitionError(`${place}.modules must be a list of paths or URLs of files`);
  if (!Number.isInteger(count) || (count as number) < 1)
    throw new DefinitionError(`${place}.count must be a whole number from 1`);
};
