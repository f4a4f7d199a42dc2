import { randomUUID } from 'node:crypto';
import { keyFromEnvironment } from '../../client/index.ts';
import type { ServerOptions } from '../../server/index.ts';
import { misuse } from './failure.ts';
import type { Loaded } from './load-modules.ts';

/** A server that a command talks to: one that runs somewhere, or one started for the command from a module. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** What was loaded, if the server was started for this command. */
  readonly loaded: Loaded | undefined;
}

/** How a module is served for a command. */
export interface ModuleOptions extends Pick<ServerOptions, 'events'> {
  /** Whether only the command may use it, which has a key then; otherwise everybody on this machine may. */
  readonly isGuarded?: boolean;
}

/** Opens what a person named: a URL, or a module, which is then served on this machine until the target is disposed of. */
export async function openTarget(text: string, options: ModuleOptions = {}): Promise<Target> {
  return toUrl(text) === undefined ? await serveModule(text, options) : remote(text);
}

/** The URL that a text means, or undefined if it names a file. */
export function toUrl(text: string): string | undefined {
  const url = withScheme(text);
  if (url !== undefined && !/^https?:\/\/./i.test(url))
    throw misuse(`'${text}' is not the URL of a server: it must begin with http:// or https://, and name a host`);
  if (url !== undefined && !URL.canParse(url))
    throw misuse(`'${text}' is not a valid URL. Write it like http://localhost:8080; ports end at 65535`);
  return url?.replace(/\/+$/, '');
}

function withScheme(text: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  // As people type it: localhost:8080, 127.0.0.1:8080, example.org:443.
  return /^(?:\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}(?:\/|$)/i.test(text) ? `http://${text}` : undefined;
}

function remote(text: string): Target {
  return {
    url: toUrl(text) as string,
    // Never from the command line, which others can read.
    apiKey: keyFromEnvironment(),
    loaded: undefined,
    async [Symbol.asyncDispose]() {},
  };
}

// Somebody waits at a terminal: calls that were given up are not waited for, and tools have a moment to clean up.
const IMPATIENT = { drainMs: 0, graceMs: 1_000, closeMs: 500 };

async function serveModule(path: string, { isGuarded = false, ...options }: ModuleOptions): Promise<Target> {
  const { loadModules } = await import('./load-modules.ts');
  const { createServer } = await import('../../server/index.ts');
  const loaded = await loadModules([path]);
  // The client sends the key of the environment unless it is told not to; an open server wants none.
  const apiKey = isGuarded ? randomUUID() : '';
  const auth = isGuarded ? { apiKeys: [apiKey] } : undefined;
  const how = { logger: false, returnErrors: 'stacktrace', limits: IMPATIENT } as const;
  const server = await createServer({ ...loaded, ...how, ...options, auth });
  const url = await server.listen();
  return { url, apiKey, loaded, [Symbol.asyncDispose]: () => server.close() };
}
