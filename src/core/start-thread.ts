import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Starts a thread with a module of ours, from what was built or from the sources: `name` as it stands beside `parent`, without extension. */
export function startThread(parent: string, name: string, workerData: unknown): Worker {
  // Nothing of the author's loaders: what was built needs none.
  const options = { workerData, execArgv: [], env: {} };
  const extension = extname(parent);
  const module = new URL(`./${name}${extension}`, parent);
  return extension === '.ts'
    ? new Worker(fromSources(module), { ...options, eval: true })
    : new Worker(module, options);
}

/** A script that runs a module in TypeScript: a thread does not take over the loader of the process. */
function fromSources(module: URL): string {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api'));
  return `import('${loader}').then(({ register }) => { register(); return import('${module}'); });`;
}
