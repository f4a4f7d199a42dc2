import { listOf, must, mustUnquoted, objectOf, type Rule, wholeNumber } from '../../core/index.ts';
import { anything, type OptionRules } from '../options.ts';

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

const listOfFiles = listOf(
  must('the path or URL of a file', (value) => (typeof value === 'string' && value !== '') || value instanceof URL),
  "['./environment.ts']",
);

// An empty array, quoted as `an array`, would say nothing.
const atLeastOne = mustUnquoted('an array with at least one file', (value) => (value as unknown[]).length > 0);

const { modules, count, ...internal }: OptionRules<WorkersOption> = {
  modules(value, place) {
    listOfFiles(value, place);
    atLeastOne(value, place);
  },
  count: wholeNumber('processes'),
  loader: anything,
  onImport: anything,
  output: anything,
  signal: anything,
  maxPauseMs: anything,
  keepsEpisodes: anything,
};

/** What can be given as `workers`. */
export const workersRule: Rule = objectOf({ required: { modules }, optional: { count }, internal });
