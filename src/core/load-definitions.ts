import { pathToFileURL } from 'node:url';
import { byPlace } from './definition-order.ts';
import type { Environment } from './environment.ts';
import type { Toolkit } from './toolkit.ts';

/** What modules export that can be served. */
export interface Definitions {
  readonly environments: readonly Environment[];
  readonly toolkits: readonly Toolkit[];
}

/** How modules are loaded. */
export interface LoadDefinitionsOptions {
  /** Called with the URL of each file that is imported, before it is read; also later, when code imports more. */
  readonly onImport?: ((url: string) => void) | undefined;
  /** Imports a module by its path; others may explain better what is wrong with it. */
  readonly load?: (path: string) => Promise<object>;
}

/** Loads modules and collects the environments and toolkits among their exports, in the order of `definitionsOf`, each once. */
export async function loadDefinitions(
  paths: readonly string[],
  { onImport, load = importFile }: LoadDefinitionsOptions = {},
): Promise<Definitions> {
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

async function importFile(path: string): Promise<object> {
  return (await import(pathToFileURL(path).href)) as object;
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
async function understandTypeScript(onImport: LoadDefinitionsOptions['onImport']): Promise<void> {
  const { register } = await import('tsx/esm/api');
  register(onImport === undefined ? {} : { onImport });
}

function isDefinition(value: unknown): value is Environment | Toolkit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'environment' || value.kind === 'toolkit')
  );
}
