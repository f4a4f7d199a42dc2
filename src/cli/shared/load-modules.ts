import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment, Toolkit } from '../../core/index.ts';

/** What modules export that can be served. */
export interface Loaded {
  readonly environments: readonly Environment[];
  readonly toolkits: readonly Toolkit[];
}

/** Loads modules and collects the environments and toolkits among their exports, in order, each once. */
export async function loadModules(paths: readonly string[]): Promise<Loaded> {
  if (paths.some((path) => /\.[cm]?tsx?$/.test(path))) await understandTypeScript();
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
async function understandTypeScript(): Promise<void> {
  const { register } = await import('tsx/esm/api');
  register();
}

async function load(path: string): Promise<object> {
  const file = resolve(path);
  if (!existsSync(file))
    throw new Error(`there is no file ${path} (looked in ${relative('', process.cwd()) || 'this folder'})`);
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (thrown) {
    throw new Error(`${path} could not be loaded${adviceFor(thrown)}`, { cause: thrown });
  }
}

// Node's own words for this speak of cycles, and of nothing that one could do.
function adviceFor(thrown: unknown): string {
  const isCommonJs =
    thrown instanceof Error && /require\(\)|require is not defined|outside a module/.test(thrown.message);
  return isCommonJs ? '. It counts as CommonJS: add "type": "module" to its package.json, or end its name in .mts' : '';
}

function isDefinition(value: unknown): value is Environment | Toolkit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'environment' || value.kind === 'toolkit')
  );
}
