import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Definitions, loadDefinitions } from '../../core/index.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import { locateSyntaxError } from './location.ts';
import { assertModule } from './module-path.ts';
import { type ModuleProblem, toProblem } from './module-problem.ts';

/** What modules export that can be served. */
export type Loaded = Definitions;

/** A module that cannot be loaded, because of a mistake in it or in what it imports. */
export class ModuleError extends Failure {
  readonly problem: ModuleProblem;

  constructor(path: string, problem: ModuleProblem, thrown: unknown) {
    super(`${path} could not be loaded`, EXIT_CODES.failed, { cause: thrown });
    this.name = 'ModuleError';
    this.problem = problem;
  }
}

/** What loading may tell besides its result. */
export interface LoadOptions {
  /** Called with the URL of each file that is imported, before it is read; also later, when code imports more. */
  readonly onImport?: (url: string) => void;
}

/** Loads modules and collects the environments and toolkits among their exports, each once. */
export async function loadModules(paths: readonly string[], { onImport }: LoadOptions = {}): Promise<Loaded> {
  return loadDefinitions(paths, { onImport, load });
}

/** Loads a module for what it exports beside environments and toolkits; it need not have any. */
export async function loadExports(path: string): Promise<Readonly<Record<string, unknown>>> {
  const loaded: object[] = [];
  try {
    await loadDefinitions([path], { load: async (each) => loaded[loaded.push(await load(each)) - 1] as object });
  } catch (thrown) {
    if (loaded.length === 0) throw thrown;
  }
  return (loaded[0] ?? {}) as Record<string, unknown>;
}

async function load(path: string): Promise<object> {
  assertModule(path);
  const file = resolve(path);
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (thrown) {
    // Node's own words for this speak of cycles, and of nothing that one could do.
    const problem = isCommonJs(thrown) ? AS_COMMON_JS : toProblem(thrown, adviceFor(thrown));
    const isPlaceless = problem.file === undefined && thrown instanceof SyntaxError;
    throw new ModuleError(path, isPlaceless ? { ...problem, ...locateSyntaxError(file) } : problem, thrown);
  }
}

/** What a worker said of modules that it could not load, as if they were loaded here. `named` is how a person named the only one. */
export function toLoadError(thrown: unknown, named?: string): unknown {
  const { problem, message, name } = thrown as Error & { readonly problem?: ModuleProblem };
  const toText = (text: string) => (named === undefined ? text : text.replaceAll(resolve(named), named));
  if (problem !== undefined)
    return new ModuleError(toText(message).replace(/ could not be loaded$/, ''), problem, thrown);
  if (name === 'WorkerLost')
    return new Failure(`${named ?? 'a module'} could not be loaded: its code ended the process`, EXIT_CODES.failed, {
      cause: (thrown as Error).cause,
    });
  return thrown instanceof Error && named !== undefined ? Object.assign(thrown, { message: toText(message) }) : thrown;
}

function adviceFor(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [, missing] = MISSING_PACKAGE.exec(thrown.message) ?? [];
  return missing === undefined ? undefined : `Install it: npm install ${missing}`;
}

function isCommonJs(thrown: unknown): boolean {
  return thrown instanceof Error && /require\(\)|outside a module/.test(thrown.message);
}

const AS_COMMON_JS: ModuleProblem = {
  message: 'Node treats it as CommonJS, which cannot import tiltyard',
  advice: 'Add "type": "module" to its package.json, or rename it to .mts',
};

// The name of a package, without a path inside it.
const MISSING_PACKAGE = /^Cannot find package '((?:@[\w.~-]+\/)?[\w~][\w.~-]*)(?:\/[^']*)?' imported from/;
