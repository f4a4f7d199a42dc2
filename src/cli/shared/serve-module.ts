import { randomUUID } from 'node:crypto';
import inspector from 'node:inspector';
import type { CodeAtHand } from '../../checking/index.ts';
import { createServer, type Server, type ServerOptions, startModuleRuntime } from '../../server/index.ts';
import { type EnvironmentManifest, surviveStrayErrors } from '../../sessions/index.ts';
import { loadModules, toLoadError } from './load-modules.ts';
import { LOADER } from './loader.ts';
import { assertModule } from './module-path.ts';
import { StrayErrors } from './stray-errors.ts';

/** A server that a command talks to: one that runs somewhere, or one started for the command from a module. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** What is known of a module, if the server was started for this command. */
  readonly module: ServedModule | undefined;
}

/** What is known of a module beyond what its server tells. */
export interface ServedModule {
  readonly environments: readonly EnvironmentManifest[];
  /** For the lint. */
  readonly code: CodeAtHand;
}

/** How a module is served for a command. */
export interface ModuleOptions extends Pick<ServerOptions, 'events'> {
  /** Whether only the command may use it, which has a key then; otherwise everybody on this machine may. */
  readonly isGuarded?: boolean;
  /** Gives up what has not started yet. */
  readonly signal?: AbortSignal;
}

// Somebody waits at a terminal: calls that were given up are not waited for, and tools have a moment to clean up.
const IMPATIENT = { drainMs: 0, graceMs: 1_000, closeMs: 500 };
const MAX_PAUSE_MS = 500;

/**
 * Serves a module for a command, in a process of its own: whether its code exits, throws or loops, the command goes on, hears
 * Ctrl-C and tells what came of it. What the code prints goes to standard error, since standard output is the command's.
 */
export async function serveModule(path: string, options: ModuleOptions): Promise<Target> {
  const { isGuarded = false, signal, ...more } = options;
  // The client sends the key of the environment unless it is told not to; an open server wants none.
  const apiKey = isGuarded ? randomUUID() : '';
  const strays = new StrayErrors();
  const serving = {
    ...more,
    auth: isGuarded ? { apiKeys: [apiKey] } : undefined,
    logger: { level: 'error', stream: strays.lines },
    returnErrors: 'stacktrace',
    limits: IMPATIENT,
  } as const;
  const { server, code } = isDebugged() ? await serveHere(path, serving) : await serveBeside(path, serving, signal);
  const url = await server.listen();
  const { environments } = server;
  const module = { environments, code: { ...code, takeIncidents: () => strays.take() } };
  return { url, apiKey, module, [Symbol.asyncDispose]: () => server.close() };
}

/** Whether a debugger listens, or is attached. It is in this process, so the author's code has to be, too. */
function isDebugged(): boolean {
  return inspector.url() !== undefined;
}

type Serving = Pick<ServedModule, 'code'> & { readonly server: Server };

async function serveBeside(path: string, serving: ServerOptions, signal: AbortSignal | undefined): Promise<Serving> {
  assertModule(path);
  const workers = {
    modules: [path],
    count: 1,
    loader: LOADER,
    output: 'stderr',
    maxPauseMs: MAX_PAUSE_MS,
    keepsEpisodes: false,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  try {
    const server = await createServer({ ...serving, workers });
    const isDurable = server.environments.some(({ durability }) => durability !== 'none');
    // The lint builds only those again that promise to survive it.
    return { server, code: isDurable ? { startRuntime: (limits) => startModuleRuntime(workers, limits) } : {} };
  } catch (thrown) {
    signal?.throwIfAborted();
    throw toLoadError(thrown, path);
  }
}

async function serveHere(path: string, serving: ServerOptions): Promise<Serving> {
  const loaded = await loadModules([path]);
  const server = await createServer({ ...serving, ...loaded });
  surviveStrayErrors(server.app.log);
  return { server, code: { definitions: loaded.environments } };
}
