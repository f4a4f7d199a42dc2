import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { byPlace, type Environment, type Toolkit } from '../../core/index.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import { locateSyntaxError } from './location.ts';
import { assertModule } from './module-path.ts';
import { type ModuleProblem, toProblem } from './module-problem.ts';

/** What modules export that can be served. */
export interface Loaded {
  readonly environments: readonly Environment[];
  readonly toolkits: readonly Toolkit[];
}

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

/** Loads modules and collects the environments and toolkits among their exports, in the order of `definitionsOf`, each once. */
export async function loadModules(paths: readonly string[], { onImport }: LoadOptions = {}): Promise<Loaded> {
  if (onImport !== undefined || paths.some((path) => /\.[cm]?tsx?$/.test(path))) await understandTypeScript(onImport);
  const environments = new Set<Environment>();
  const toolkits = new Set<Toolkit>();
  for (const path of paths) {
    const exported = definitionsOf(await load(path), path);
    if (exported.length === 0) {
      throw new Error(
        `${path} does not export an environment or a toolkit. Add one: export const math = environment({ name: 'math', ... })`,
      );
    }
    for (const each of exported) {
      if (each.kind === 'environment') environments.add(each);
      else toolkits.add(each);
    }
  }
  return { environments: [...environments], toolkits: [...toolkits] };
}

/**
 * What a module exports that can be served: first what its default export lists, in that order, then the rest as it was
 * defined. The first environment is the default one, so the order must be the author's, not that of the alphabet.
 */
function definitionsOf(exported: object, path: string): (Environment | Toolkit)[] {
  const { default: listed } = exported as { readonly default?: unknown };
  const others = Object.values(exported).filter(isDefinition).sort(byPlace);
  if (!Array.isArray(listed) || !listed.some(isDefinition)) return others;
  const stray = listed.findIndex((each) => !isDefinition(each));
  if (stray >= 0)
    throw new Error(`${path}: item ${stray} of its default export is neither an environment nor a toolkit`);
  return [...listed, ...others];
}

// register(), not tsImport(): the latter would load a second copy of our core.
async function understandTypeScript(onImport: LoadOptions['onImport']): Promise<void> {
  const { register } = await import('tsx/esm/api');
  register(onImport === undefined ? {} : { onImport });
}

async function load(path: string): Promise<object> {
  assertModule(path);
  const file = resolve(path);
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (thrown) {
    const problem = toProblem(thrown, adviceFor(thrown));
    const isPlaceless = problem.file === undefined && thrown instanceof SyntaxError;
    throw new ModuleError(path, isPlaceless ? { ...problem, ...locateSyntaxError(file) } : problem, thrown);
  }
}

function adviceFor(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [, missing] = MISSING_PACKAGE.exec(thrown.message) ?? [];
  if (missing !== undefined) return `Install it: npm install ${missing}`;
  // Node's own words for this speak of cycles, and of nothing that one could do.
  const isCommonJs = /require\(\)|require is not defined|outside a module/.test(thrown.message);
  return isCommonJs
    ? 'Node treats it as CommonJS: add "type": "module" to its package.json, or rename it to .mts'
    : undefined;
}

// The name of a package, without a path inside it.
const MISSING_PACKAGE = /^Cannot find package '((?:@[\w.~-]+\/)?[\w~][\w.~-]*)(?:\/[^']*)?' imported from/;

function isDefinition(value: unknown): value is Environment | Toolkit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'environment' || value.kind === 'toolkit')
  );
}
