import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment, Toolkit } from '../../core/index.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import { locateSyntaxError } from './location.ts';
import { assertModule } from './module-path.ts';
import { type Problem, toProblem } from './problem.ts';

/** What modules export that can be served. */
export interface Loaded {
  readonly environments: readonly Environment[];
  readonly toolkits: readonly Toolkit[];
}

/** A module that cannot be loaded, because of a mistake in it or in what it imports. */
export class ModuleError extends Failure {
  readonly problem: Problem;

  constructor(path: string, problem: Problem, thrown: unknown) {
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

/** Loads modules and collects the environments and toolkits among their exports, in order, each once. */
export async function loadModules(paths: readonly string[], { onImport }: LoadOptions = {}): Promise<Loaded> {
  if (onImport !== undefined || paths.some((path) => /\.[cm]?tsx?$/.test(path))) await understandTypeScript(onImport);
  const environments = new Set<Environment>();
  const toolkits = new Set<Toolkit>();
  for (const path of paths) {
    const exported = Object.values(await load(path)).filter(isDefinition);
    if (exported.length === 0) {
      throw new Error(
        `${path} exports no environment and no toolkit. Add one: export const math = environment({ name: 'math', ... })`,
      );
    }
    for (const each of exported) {
      if (each.kind === 'environment') environments.add(each);
      else toolkits.add(each);
    }
  }
  return { environments: [...environments], toolkits: [...toolkits] };
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

// Node's own words for this speak of cycles, and of nothing that one could do.
function adviceFor(thrown: unknown): string | undefined {
  const isCommonJs =
    thrown instanceof Error && /require\(\)|require is not defined|outside a module/.test(thrown.message);
  return isCommonJs
    ? 'It counts as CommonJS: add "type": "module" to its package.json, or end its name in .mts'
    : undefined;
}

function isDefinition(value: unknown): value is Environment | Toolkit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'environment' || value.kind === 'toolkit')
  );
}
